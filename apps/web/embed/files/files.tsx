import { useQuery, useQueryClient } from '@tanstack/solid-query';
import { createEffect, createSignal, on, onCleanup, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { FileView } from '../../editor/file-view.tsx';
import { FileBrowser } from '../../files/browser.tsx';
import { homeQuery } from '../../files/list/entries.ts';
import { TransfersProvider } from '../../transfers/transfers.ts';
import { TransferTray } from '../../transfers/tray/tray.tsx';
import { openUserTransfers } from '../../transfers/user-transfers.ts';
import { holdsFiles } from '../../workspace/drag.ts';
import { PaneHostProvider } from '../../workspace/panes/host.ts';
import { createUnsaved, UnsavedProvider } from '../../workspace/unsaved/unsaved.ts';
import type { ElementView, ViewParts } from '../element.ts';
import type { EmbedSession } from '../session.ts';
import { useFont } from '../styles.ts';
import { type ContentProps, createTrouble, Ended, renderView } from '../view.tsx';
import { createFilesHost } from './host.tsx';
import './files.css';

/** What takes the focus in the open file, or else in the list. */
const FOCUSED = ['.embed-file :is(.cm-content, .preview, [data-takes-focus])', '[data-takes-focus]'];

export function openFilesView(parts: ViewParts): ElementView {
  return renderView(parts, EmbeddedFiles);
}

function EmbeddedFiles(props: ContentProps) {
  const { t } = useApp();
  const { session, trouble, open } = createOpening(props.parts);
  onCleanup(useFont().release);
  props.onVerbs({
    focus() {
      const found = FOCUSED.map((one) => props.parts.place.querySelector<HTMLElement>(one));
      found.find((element) => element !== null)?.focus();
    },
    fit: () => undefined,
  });
  return (
    <div class="embed-files">
      <Show when={trouble()}>{(found) => <Ended title={found().message} bad again={open} />}</Show>
      <Show
        when={session()}
        fallback={
          <Show when={!trouble()}>
            <p class="banner banner-over" role="status">
              <span class="spinner" aria-hidden="true" /> {t('loading')}
            </p>
          </Show>
        }
      >
        {(started) => <Desk parts={props.parts} session={started()} />}
      </Show>
    </div>
  );
}

/** What is open stays when the session ends: a new one goes on with it. */
function createOpening({ session: element_session, emit }: ViewParts) {
  const { t } = useApp();
  const queries = useQueryClient();
  const [session, setSession] = createSignal<EmbedSession>();
  const { trouble, setTrouble, forget, fail } = createTrouble();

  async function open(): Promise<void> {
    const is_doubtful = session() !== undefined;
    try {
      setSession(await element_session.ensure({ is_doubtful }));
      forget();
      if (is_doubtful) await queries.invalidateQueries();
    } catch (error) {
      fail(error);
    }
  }
  onCleanup(element_session.onEnd(() => setTrouble({ code: 'session_ended', message: t('embed_ended') })));
  createEffect(
    on(trouble, (found) => {
      if (found) emit('error', found);
    }),
  );
  void open();
  return { session, trouble, open: () => void open() };
}

/** The list, and beside it the file that is open. */
function Desk(props: { parts: ViewParts; session: EmbedSession }) {
  const { client } = useApp();
  const { parts } = props;
  const queries = useQueryClient();
  const unsaved = createUnsaved(0);
  const kept = openUserTransfers({ client, queries, user_id: 0 });
  const host = createFilesHost(parts, () => props.session, unsaved);
  onCleanup(kept.close);
  const home = useQuery(() => ({
    ...homeQuery(client, host.list.server_id),
    enabled: host.list.path === '',
  }));
  createEffect(() => {
    const title = host.list.path || home.data?.path;
    if (title !== undefined) parts.emit('title', { title });
  });
  /** The browser would open the file in place of the page. */
  const refuse = (event: DragEvent) => holdsFiles(event) && event.preventDefault();
  return (
    <PaneHostProvider value={host}>
      <UnsavedProvider value={unsaved}>
        <TransfersProvider value={kept.transfers}>
          {/* biome-ignore lint/a11y/noStaticElementInteractions: for the mouse only */}
          <div class="embed-desk" onDragOver={refuse} onDrop={refuse}>
            <div class="embed-list" classList={{ 'embed-behind': host.file() !== undefined }}>
              <FileBrowser tab={host.list} active={host.file() === undefined} />
            </div>
            <Show when={host.file()} keyed>
              {(file) => (
                <div class="embed-file">
                  <FileView tab={file} active />
                </div>
              )}
            </Show>
          </div>
          <div class="embed-foot">
            <TransferTray />
          </div>
        </TransfersProvider>
      </UnsavedProvider>
    </PaneHostProvider>
  );
}
