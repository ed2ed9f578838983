import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import { Button } from "../../parts";
import { type Rule, kindOf, kinds, moved, newRule, parseRules, rulesText, wrongWith } from "./rules";

interface RuleEditorProps {
  /** As the service writes them; empty: the index's own. */
  text: string;
  set: (text: string) => void;
  /** What the service finds wrong with them. */
  error: string | undefined;
}

/** The rules in the order they are asked. */
export function RuleEditor({ text, set, error }: RuleEditorProps) {
  const [rules, setRules] = useState(() => parseRules(text));
  const [said, say] = useState("");
  const focused = useRef<Element | null>(null);

  // The address changes by the browser's history, too.
  useEffect(() => {
    if (rulesText(rules) !== text) setRules(parseRules(text));
  }, [text]);
  // An element that changes its place loses the focus.
  useLayoutEffect(() => {
    if (focused.current instanceof HTMLElement) focused.current.focus();
    focused.current = null;
  }, [rules]);

  const change = (next: Rule[]) => {
    setRules(next);
    set(rulesText(next));
  };
  const move = (from: number, to: number) => {
    const rule = rules[from];
    if (rule === undefined || to < 0 || to >= rules.length) return;
    focused.current = document.activeElement;
    say(`${kindOf(rule.name).label} is now rule ${to + 1} of ${rules.length}`);
    change(moved(rules, from, to));
  };
  const add = () => change([...rules, newRule(kinds.find((kind) => !rules.some((rule) => rule.name === kind.name))?.name ?? "longest")]);

  return (
    <div class="rules">
      {rules.length === 0 ? (
        <p class="muted">The index's own rules decide. Add a rule to see what others would keep.</p>
      ) : (
        <p class="muted">Asked in turn; where all are undecided the smaller id stays. What a person prefers goes before all rules.</p>
      )}
      <ol>
        {rules.map((rule, place) => (
          <RuleRow
            key={rule.key}
            {...{ rule, place }}
            count={rules.length}
            change={(next) => change(rules.with(place, next))}
            move={(by) => move(place, place + by)}
            remove={() => change(rules.toSpliced(place, 1))}
          />
        ))}
      </ol>
      {error && (
        <p class="field-error" role="alert">
          {error}
        </p>
      )}
      <div class="row">
        <Button onClick={add}>Add a rule</Button>
        {rules.length > 0 && (
          <Button kind="quiet" onClick={() => change([])}>
            Use the index's own
          </Button>
        )}
      </div>
      <p class="hidden" aria-live="polite">
        {said}
      </p>
    </div>
  );
}

interface RuleRowProps {
  rule: Rule;
  place: number;
  count: number;
  change: (rule: Rule) => void;
  move: (by: number) => void;
  remove: () => void;
}

function RuleRow({ rule, place, count, change, move, remove }: RuleRowProps) {
  const kind = kindOf(rule.name);
  const known = kinds.includes(kind) ? kinds : [...kinds, kind];
  const wrong = wrongWith(rule);
  const number = `rule ${place + 1}`;

  const onKeyDown = (event: KeyboardEvent) => {
    const by = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : 0;
    if (!event.altKey || by === 0) return;
    event.preventDefault();
    move(by);
  };

  return (
    <li onKeyDown={onKeyDown}>
      <select
        aria-label={`Kind of ${number}`}
        value={rule.name}
        onChange={(event) => change({ ...rule, name: event.currentTarget.value, argument: "" })}
      >
        {known.map(({ name, label }) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
      </select>
      {kind.argument && (
        <input
          aria-label={`${kind.argument.label} of ${number}`}
          aria-invalid={wrong !== undefined}
          title={wrong}
          placeholder={kind.argument.example}
          spellcheck={false}
          value={rule.argument}
          onInput={(event) => change({ ...rule, argument: event.currentTarget.value })}
        />
      )}
      <span class="rule-buttons">
        <Button class="small" aria-disabled={place === 0} aria-label={`Ask ${number} earlier`} title="Alt+↑" onClick={() => move(-1)}>
          ↑
        </Button>
        <Button class="small" aria-disabled={place === count - 1} aria-label={`Ask ${number} later`} title="Alt+↓" onClick={() => move(1)}>
          ↓
        </Button>
        <Button class="small" aria-label={`Remove ${number}`} onClick={remove}>
          ×
        </Button>
      </span>
    </li>
  );
}
