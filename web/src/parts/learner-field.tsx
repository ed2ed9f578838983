import type { Learner } from "../lib/types";
import { Field } from "./field";

interface LearnerFieldProps {
  label: string;
  help: string;
  error?: string;
  learners: readonly Learner[];
  /** What no learner at all is called; absent: there must be one. */
  none?: string;
  /** Empty: none, or else the usual one. */
  value: string;
  choose: (name: string) => void;
}

/** What the service takes if none is named. */
export const USUAL = "vote";
/** The service's name for trying all. */
const BEST = "best";
const tryAll: Learner = { name: BEST, about: "tries all and takes the one that does best on pairs it has not seen" };

/** The learners that the service knows, to choose from. */
export function LearnerField({ label, help, error, learners, none, value, choose }: LearnerFieldProps) {
  const offered = [tryAll, ...learners.filter((learner) => learner.name !== BEST)];
  return (
    <Field label={label} help={help} error={error}>
      {(input) => (
        <select {...input} value={value || (none === undefined ? USUAL : "")} onChange={(event) => choose(event.currentTarget.value)}>
          {none !== undefined && <option value="">{none}</option>}
          {offered.map(({ name, about }) => (
            <option key={name} value={name}>
              {name}: {about}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
