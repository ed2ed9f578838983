/** The settings of a method, stage by stage. A field that is left empty keeps the method's own value. */

import { count } from "../lib/format";
import { type Changes, type Setting, type Stage, changed } from "../lib/recipe";
import "../style/settings.css";
import { Button } from "./button";
import { Field } from "./field";

interface SettingsProps {
  stages: readonly Stage[];
  changes: Changes;
  change: (changes: Changes) => void;
  /** What is wrong with the setting of a key. */
  errorOf: (key: string) => string | undefined;
}

export function Settings({ stages, changes, change, errorOf }: SettingsProps) {
  const number = Object.keys(changes).length;
  const set = (key: string, value: string) => change(changed(changes, key, value));
  return (
    <>
      <div class="row">
        <h3>Parameters</h3>
        <span class="muted">{number === 0 ? "All as the method has them." : `${count(number)} changed.`}</span>
        {number > 0 && <Button onClick={() => change({})}>Reset all</Button>}
      </div>
      {stages.map((stage) => (
        <StageSettings key={stage.name} {...{ stage, changes, set, errorOf }} />
      ))}
    </>
  );
}

interface StageSettingsProps {
  stage: Stage;
  changes: Changes;
  set: (key: string, value: string) => void;
  errorOf: (key: string) => string | undefined;
}

function StageSettings({ stage, changes, set, errorOf }: StageSettingsProps) {
  const touched = Object.keys(changes).some((key) => key.startsWith(`${stage.name}.`));
  const wrong = [`${stage.name}.type`, ...stage.settings.map((setting) => setting.key)].some((key) => errorOf(key) !== undefined);
  return (
    <details class="settings-stage" open={touched || wrong || undefined}>
      <summary>
        <span class="settings-stage-name">{stage.name}</span> {stage.part} <span class="muted">{stage.summary}</span>
        {touched && <span class="tag warn settings-changed">changed</span>}
      </summary>
      <div class="field-grid">
        {stage.parts.length > 1 && (
          <SettingField
            setting={{ key: `${stage.name}.type`, standard: stage.standardPart, help: "", choices: stage.parts }}
            value={changes[`${stage.name}.type`] ?? ""}
            error={errorOf(`${stage.name}.type`)}
            set={set}
          />
        )}
        {stage.settings.map((setting) => (
          <SettingField
            key={setting.key}
            setting={setting}
            value={changes[setting.key] ?? ""}
            error={errorOf(setting.key)}
            set={set}
          />
        ))}
      </div>
    </details>
  );
}

interface SettingFieldProps {
  setting: Setting;
  value: string;
  error: string | undefined;
  set: (key: string, value: string) => void;
}

function SettingField({ setting, value, error, set }: SettingFieldProps) {
  const { key, standard, help, choices } = setting;
  const about = [help, standard === "" ? "" : `Default: ${standard}.`].filter(Boolean).join(". ");
  return (
    <Field label={key} help={about} error={error} class={value === "" ? undefined : "changed"}>
      {(input) =>
        choices === undefined ? (
          <input
            {...input}
            spellcheck={false}
            autocomplete="off"
            placeholder={standard}
            value={value}
            onInput={(event) => set(key, event.currentTarget.value)}
            // Only when it is left: on the way to 0.85 there is a default of 0.8.
            onChange={(event) => event.currentTarget.value.trim() === standard && set(key, "")}
          />
        ) : (
          <select
            {...input}
            value={value === "" ? standard : value}
            onChange={(event) => set(key, event.currentTarget.value === standard ? "" : event.currentTarget.value)}
          >
            {(choices.includes(standard) ? choices : [standard, ...choices]).map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        )
      }
    </Field>
  );
}
