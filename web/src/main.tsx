import { render } from "preact";

import { startTheme } from "./lib/theme";
import { Shell } from "./shell";
import "./style/base.css";
import "./style/shell.css";
import "./style/parts.css";
import "./style/charts.css";
import "./style/views.css";

startTheme();
const place = document.getElementById("app");
if (place !== null) render(<Shell />, place);
