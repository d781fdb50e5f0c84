import {
  createEffect,
  createMemo,
  createResource,
  createSignal,
  on,
  onCleanup,
  onMount,
  Show,
  untrack,
} from 'solid-js';
import { useApp } from '../app/context.ts';
import { createOpenFile, type OpenFile } from '../files/open-file.ts';
import { isSignInDue } from '../files/sign-in.ts';
import { FileSignIn } from '../files/sign-in-view.tsx';
import { shownName } from '../lib/hidden-characters.ts';
import { nameOf } from '../lib/paths.ts';
import { Name } from '../parts/name.tsx';
import { Trouble } from '../parts/trouble.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { createPaneFocus } from '../workspace/panes/focus.ts';
import { createFolding } from '../workspace/panes/fold.ts';
import { usePaneHost } from '../workspace/panes/host.ts';
import type { PaneProps, TabPlace } from '../workspace/tabs/tabs.ts';
import { useWorkspace } from '../workspace/workspace.ts';
import { Differences } from './differences.tsx';
import { isSame, type Version, versionOf } from './document.ts';
import { detectIndent } from './indent.ts';
import { createLanguageChoice } from './language/choice.ts';
import { type Comparison, openComparison } from './open-comparison.ts';
import { phrasesIn } from './phrases.ts';
import { readText } from './text-file.ts';
import './editor.css';
import './conflict.css';

/** Two files side by side. Neither can be changed here. */
export function ComparisonView(props: PaneProps) {
  const { t } = useApp();
  const { setStatus } = useWorkspace();
  const { tools } = usePaneHost();
  const { tab } = props;
  const left = createSide(() => tab, tab.id);
  const right = createSide(() => tab.other ?? tab, tab.id);
  const asking = () => [left, right].find(({ files }) => files.sign_in_due() !== undefined);
  const failed = () => [left, right].find(({ text }) => text.error !== undefined);
  const both = createMemo(() => {
    const [theirs, mine] = [left, right].map(({ text }) => (text.error ? undefined : text()));
    return theirs && mine ? { theirs, mine } : undefined;
  });
  createEffect(() => {
    if (asking()) setStatus(tab.id, { text: 'state_asked', tone: 'busy' });
    else if (failed()) setStatus(tab.id, { text: 'state_failed', tone: 'bad' });
    else
      setStatus(tab.id, { text: both() ? 'state_listed' : 'state_loading', tone: both() ? 'good' : 'busy' });
  });
  const [comparison, setComparison] = createSignal<Comparison>();
  let row: HTMLDivElement | undefined;
  createFolding(() => row);
  return (
    <section class="files" aria-label={t('comparison_of', { one: tab.path, other: right.place.path })}>
      <div class="pane-bar-place">
        <div class="pane-bar" ref={row}>
          <Show when={tab.other}>
            {(other) => (
              <span class="pane-server">
                {[...new Set([tab.server_name, other().server_name])].join(' ↔ ')}
              </span>
            )}
          </Show>
          <h2 class="pane-title" data-keeps={160}>
            {[tab.path, right.place.path].map(nameOf).join(' ↔ ')}
          </h2>
          <Show when={comparison()}>{(present) => <Differences comparison={present()} />}</Show>
          {tools(tab)}
        </div>
      </div>
      <Show
        when={asking()}
        fallback={
          <Show
            when={failed()}
            fallback={
              <Loaded
                {...props}
                both={both()}
                places={[left.place, right.place]}
                comparison={comparison()}
                onComparison={setComparison}
              />
            }
          >
            {(side) => (
              <div class="viewer-trouble">
                <Trouble
                  title={t('read_failed', { name: nameOf(side().place.path) })}
                  error={side().text.error}
                >
                  <button type="button" class="button" onClick={side().again}>
                    {t('try_again')}
                  </button>
                </Trouble>
              </div>
            )}
          </Show>
        }
      >
        {(side) => (
          <Show when={side().files.sign_in_due()}>
            {(refusal) => <FileSignIn files={side().files} refusal={refusal()} />}
          </Show>
        )}
      </Show>
    </section>
  );
}

interface Side {
  readonly place: TabPlace;
  readonly files: OpenFile;
  readonly text: { (): Version | undefined; readonly error: unknown };
  again(): void;
}

/** One of the two files, with its sign-in at the host where that is due. */
function createSide(placeOf: () => TabPlace, tab_id: string): Side {
  const app = useApp();
  const { tabs } = useWorkspace();
  const close = () => tabs.close(tab_id);
  const { server_id, server_name } = placeOf();
  const place = {
    ...{ server_id, server_name },
    get path() {
      return placeOf().path; // the tab follows its files
    },
  };
  const files = createOpenFile({ app, tab: place, showList: close, close });
  const [text, { refetch }] = createResource(async () => {
    const { content } = await readText(
      app.client,
      untrack(() => ({ ...place })),
    ).catch(async (refusal: unknown) => {
      if (isSignInDue(refusal)) await files.refresh(); // this reports that the host asks to sign in
      throw refusal;
    });
    return versionOf(content);
  });
  const again = () => void refetch();
  createEffect(
    on(
      () => files.sign_in_due() === undefined,
      (is_in) => is_in && again(),
      { defer: true },
    ),
  );
  return { place, files, text, again };
}

interface LoadedProps extends PaneProps {
  readonly both: { readonly theirs: Version; readonly mine: Version } | undefined;
  readonly places: readonly [TabPlace, TabPlace];
  readonly comparison: Comparison | undefined;
  readonly onComparison: (comparison: Comparison | undefined) => void;
}

function Loaded(props: LoadedProps) {
  return (
    <Show when={props.both} fallback={<Waiting />} keyed>
      {(both) => <Sides {...props} {...both} />}
    </Show>
  );
}

function Sides(props: LoadedProps & { theirs: Version; mine: Version }) {
  const { t } = useApp();
  const workspace = useWorkspace();
  const { theirs, mine } = props;
  const [one, other] = props.places;
  const text = mine.doc.toString();
  const language = createLanguageChoice(other.path, text);
  let place: HTMLDivElement | undefined;
  const is_equal = () => isSame(theirs, mine);
  /** Invisible differences: line endings or the byte order mark. */
  const is_unseen = () => theirs.doc.eq(mine.doc) && !is_equal();
  const nameIn = ({ path, server_name }: TabPlace) =>
    one.server_id === other.server_id ? path : `${server_name}: ${path}`;

  onMount(() => {
    createEffect(() => {
      if (!place) return;
      const opened = openComparison({
        parent: place,
        ...{ mine: mine.doc, theirs: theirs.doc },
        labels: { mine: nameIn(other), theirs: nameIn(one) },
        configuration: {
          language: language.support(),
          indent: detectIndent(other.path, text),
          wraps: false,
          read_only: true,
          phrases: phrasesIn(t),
        },
      });
      props.onComparison(opened);
      onCleanup(() => {
        props.onComparison(undefined);
        opened.close();
      });
    });
  });
  createPaneFocus(
    workspace,
    () => props.active && props.comparison !== undefined,
    () => props.comparison?.focus(),
  );

  return (
    <div class="conflict">
      <div class="conflict-sides" aria-hidden="true">
        <span title={shownName(nameIn(one))}>
          <Name text={nameIn(one)} />
        </span>
        <span title={shownName(nameIn(other))}>
          <Name text={nameIn(other)} />
        </span>
      </div>
      <Show when={is_equal() || is_unseen()}>
        <p class="note">{t(is_equal() ? 'comparison_equal' : 'editor_same_text')}</p>
      </Show>
      <div class="conflict-host" ref={place} />
    </div>
  );
}
