/** All parts, for views. */

export { Bar } from "./bar";
export { Button } from "./button";
export { Contradiction } from "./contradiction";
export { Dialog } from "./dialog";
export { Empty, Failed, Loading } from "./states";
export { Field, type FieldInput } from "./field";
export { Hint } from "./hint";
export { Histogram } from "./histogram";
export { Name } from "./name";
export { Numbers } from "./numbers";
export { Page } from "./page";
export { Refused } from "./refused";
export { type Column, Table } from "./table";
export { type Tab, Tabs } from "./tabs";
export { Cell, VirtualList } from "./virtual-list";
