import X from 'lucide-solid/icons/x';
import { type JSX, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { ReasonButton } from '../../parts/reason-button.tsx';
import type { Server } from '../../servers/servers.ts';
import { useStatusWatch } from '../../servers/status/status.ts';
import { MOST_TILES } from '../../workspace/panes/tiles.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import { isOffered, type Offer, useOpening } from './opening.ts';
import type { RailSelection } from './selection.ts';

interface Props {
  readonly selection: RailSelection;
  /** Returns the focus to the tree. */
  readonly onLeft: () => void;
}

/** How many servers are selected, and what can be done with all of them. */
export function SelectionBar(props: Props) {
  const { t } = useApp();
  const count = () => props.selection.count();
  function leave(): void {
    props.selection.clear();
    props.onLeft();
  }
  return (
    <>
      <p class="visually-hidden" role="status">
        {count() > 0 ? t('rail_selected', { count: count() }) : ''}
      </p>
      <Show when={count() > 0}>
        <section
          class="rail-selection"
          aria-label={t('bulk_actions')}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return;
            event.preventDefault();
            event.stopPropagation(); // the sheet stays open
            leave();
          }}
        >
          <div class="rail-selection-head">
            <span class="bulk-count" aria-hidden="true">
              {t('bulk_selected', { count: count() })}
            </span>
            <button
              type="button"
              class="icon-button"
              aria-label={t('bulk_clear')}
              title={`${t('bulk_clear')} (Esc)`}
              onClick={leave}
            >
              <X size={16} aria-hidden="true" />
            </button>
          </div>
          <LeftOut kind="terminal" servers={props.selection.servers()} />
          <LeftOut kind="files" servers={props.selection.servers()} />
          <Actions selection={props.selection} />
        </section>
      </Show>
    </>
  );
}

/** The selected servers that do not offer this, while others do. */
function LeftOut(props: { kind: Offer; servers: readonly Server[] }) {
  const { t } = useApp();
  const names = () =>
    props.servers.filter((server) => !isOffered(server, props.kind)).map(({ name }) => name);
  const key = () => (props.kind === 'terminal' ? 'rail_no_terminal' : 'rail_no_files');
  return (
    <Show when={names().length > 0 && names().length < props.servers.length}>
      <p class="rail-left-out">{t(key(), { names: names().join(', ') })}</p>
    </Show>
  );
}

function Actions(props: { selection: RailSelection }) {
  const { t } = useApp();
  const { panes, show, setSheetOpen } = useWorkspace();
  const { openTiled } = useOpening();
  const { statusOf } = useStatusWatch();
  const servers = (kind: Offer) => props.selection.servers().filter((server) => isOffered(server, kind));
  const why = (kind: Offer) => {
    const count = servers(kind).length;
    if (count === 0) return t(kind === 'terminal' ? 'rail_why_no_terminal' : 'rail_why_no_files');
    return count > MOST_TILES ? t('rail_why_many', { count: MOST_TILES }) : undefined;
  };
  const why_not_compared = () => (servers('files').length === 2 ? undefined : t('rail_why_two'));
  const side_by_side = () => panes.has_room();
  function open(kind: Offer): void {
    openTiled(servers(kind), kind);
    props.selection.clear();
  }
  function runSnippet(): void {
    const chosen = servers('terminal').map(({ id, name }) => ({ server_id: id, server_name: name }));
    setSheetOpen(false);
    const isOffline = (id: number) => statusOf(id).status === 'offline';
    show({ kind: 'snippet_on', servers: chosen, isOffline, onDone: props.selection.clear });
  }
  function compare(): void {
    const [one, other] = servers('files').map(({ id, name }) => ({ server_id: id, server_name: name }));
    setSheetOpen(false);
    if (one && other) show({ kind: 'compare_on', one, other, onDone: props.selection.clear });
  }
  return (
    <div class="rail-selection-actions">
      <Action why={why('terminal')} onPress={() => open('terminal')}>
        {t(side_by_side() ? 'rail_open_terminals' : 'rail_open_terminals_narrow')}
      </Action>
      <Action why={why('files')} onPress={() => open('files')}>
        {t(side_by_side() ? 'rail_open_files' : 'rail_open_files_narrow')}
      </Action>
      <Action why={why('terminal')} onPress={runSnippet}>
        {t('rail_run_snippet')}
      </Action>
      <Action why={why_not_compared()} onPress={compare}>
        {t('rail_compare')}
      </Action>
    </div>
  );
}

function Action(props: { why: string | undefined; onPress: () => void; children: JSX.Element }) {
  return (
    <ReasonButton class="button rail-selection-action" why={props.why} onPress={props.onPress}>
      {props.children}
    </ReasonButton>
  );
}
