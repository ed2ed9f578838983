/** What is around every view: menu, theme, messages, keys, and the form for a token. */

import { useEffect, useRef, useState } from "preact/hooks";

import { hasToken, setToken, tokenNeeded } from "./lib/api";
import { forgetMe, mayAs, useMe } from "./lib/data";
import { keyHelp, keyHelpShown, useKeys } from "./lib/keys";
import { subjectOf } from "./lib/places";
import { type Route, Link, useRoute } from "./lib/router";
import { useStore } from "./lib/store";
import { toggleTheme, useTheme } from "./lib/theme";
import { undo } from "./lib/undo";
import { Button, Dialog, Empty, Failed, Field, Loading, Page } from "./parts";
import { Toasts } from "./parts/toast";
import { type View, entryOf, menu } from "./views";

export function Shell() {
  const route = useRoute();
  const locked = useStore(tokenNeeded);
  // Another reader may see other documents, so everything is asked for anew.
  const [reader, setReader] = useState(0);
  const main = useRef<HTMLElement>(null);
  const name = route.path[0] ?? "";

  const change = (token: string | null) => {
    forgetMe();
    setToken(token);
    setReader((before) => before + 1);
  };

  return (
    <div class="shell">
      <PageKeys />
      <button type="button" class="skip button" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <header class="top">
        <Link class="brand" to="">
          Lookalike
        </Link>
        <Menu key={reader} current={name} />
        <Tools key={reader} signOut={hasToken() ? () => change(null) : undefined} />
      </header>
      <main ref={main} tabIndex={-1}>
        {locked ? <TokenForm use={change} /> : <Current key={`${reader} ${subjectOf(route)}`} {...route} />}
      </main>
      <Toasts />
    </div>
  );
}

function Menu({ current }: { current: string }) {
  const me = useMe();
  // Pairs and documents are come upon on the way through clusters.
  const marked = current === "pairs" ? "clusters" : current;
  return (
    <nav aria-label="Views">
      {menu.map((group, place) => (
        <ul key={place}>
          {group
            .filter((item) => mayAs(me, item.needs))
            .map((item) => (
              <li key={item.name}>
                <Link to={item.name} aria-current={item.name === marked ? "page" : undefined}>
                  {item.label}
                </Link>
              </li>
            ))}
        </ul>
      ))}
    </nav>
  );
}

function Tools({ signOut }: { signOut?: () => void }) {
  const theme = useTheme();
  const me = useMe();
  return (
    <div class="tools">
      {me?.name && (
        <span class="me" title={`Role: ${me.role}`}>
          {me.name}
        </span>
      )}
      <Button kind="quiet" onClick={toggleTheme}>
        {theme === "dark" ? "Light" : "Dark"}
      </Button>
      <Button kind="quiet" onClick={() => keyHelpShown.set(true)}>
        Keys
      </Button>
      {signOut && (
        <Button kind="quiet" onClick={signOut}>
          Forget token
        </Button>
      )}
    </div>
  );
}

/** The view of the address, once it is there. */
function Current(route: Route) {
  const entry = entryOf(route.path);
  const [fetched, setFetched] = useState<View>();
  const [error, setError] = useState<Error>();
  const [round, setRound] = useState(0);

  useEffect(() => {
    let gone = false;
    setError(undefined);
    entry?.fetch?.().then(
      (module) => {
        entry.view = module.default;
        if (!gone) setFetched(() => module.default);
      },
      () => !gone && setError(new Error("this part of the page cannot be fetched; reload the page if the service was updated")),
    );
    return () => {
      gone = true;
    };
  }, [round]);

  if (entry === undefined) return <NoSuchPage />;
  const Shown = entry.view ?? fetched;
  if (Shown !== undefined) return <Shown {...route} />;
  if (error !== undefined) return <Failed error={error} retry={() => setRound(round + 1)} />;
  return <Loading lines={8} />;
}

function NoSuchPage() {
  return (
    <Page title="No such page">
      <Empty title="There is nothing at this address.">
        <Link to="">Go to the overview</Link>
      </Empty>
    </Page>
  );
}

function TokenForm({ use }: { use: (token: string) => void }) {
  const [token, setToken] = useState("");
  const refused = hasToken();
  return (
    <Page title="Token needed">
      <form
        class="token-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (token.trim()) use(token.trim());
        }}
      >
        <Field
          label="Token"
          help="Made with: lookalike serve token add NAME --role ROLE. It is kept until this tab is closed."
          error={refused ? "The service does not accept the token that was given." : undefined}
        >
          {(input) => (
            <input
              {...input}
              type="password"
              autocomplete="off"
              spellcheck={false}
              value={token}
              onInput={(event) => setToken(event.currentTarget.value)}
            />
          )}
        </Field>
        <Button kind="primary" type="submit" disabled={!token.trim()}>
          Use this token
        </Button>
      </form>
    </Page>
  );
}

/** Stands before the views, so that their keys come after the page's and are stronger. */
function PageKeys() {
  const open = useStore(keyHelpShown);
  useKeys(
    { u: () => void undo(), "Ctrl+z": () => void undo(), "?": () => keyHelpShown.set(true) },
    { "u, Ctrl+Z": "Take back what was done last", "?": "Show these keys" },
  );
  return (
    <Dialog title="Keys" open={open} onClose={() => keyHelpShown.set(false)}>
      <dl class="keys">
        {keyHelp().map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
