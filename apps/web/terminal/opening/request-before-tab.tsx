import { createRoot } from 'solid-js';
import { requestShell } from '#client/terminal/requested.ts';
import type { App } from '../../app/context.ts';
import type { TypeAhead } from '../../open-terminals/type-ahead.ts';
import { placeOf } from '../../workspace/panes/layout.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { lookOf } from '../upkeep.ts';
import { expectedSize } from './expected-size.ts';

const PATIENCE_MS = 60; // on a slow network the tab is shown first
const WITH_KEY_BAR = '(pointer: coarse), (max-width: 480px)';

interface Page {
  readonly app: App;
  readonly workspace: Workspace;
  readonly typing: TypeAhead;
}

/** Requests the shell of a terminal in the active pane, and then shows its tab, which keeps the page busy. */
export function openAhead({ app, workspace, typing }: Page, server_id: number, open: () => string): void {
  const area = app.place.root.querySelector<HTMLElement>('.workspace > .middle');
  const size = area ? sizeOfNext(area, app, workspace) : undefined;
  let is_shown = false;
  const show = () => {
    if (is_shown) return;
    is_shown = true;
    claim.settle(open());
  };
  const claim = typing.claim(show);
  if (!size) {
    show();
    return;
  }
  const patience = new Promise<void>((resolve) => setTimeout(resolve, PATIENCE_MS));
  void Promise.race([requestShell({ client: app.client, server_id, size }), patience]).then(show);
}

/** Measured in the empty frame of a tab, which is gone before it could be seen. */
function sizeOfNext(area: HTMLElement, app: App, { tabs, panes }: Workspace) {
  const active = tabs.active();
  const is_split = panes.is_split();
  if (matchMedia(WITH_KEY_BAR).matches || (is_split && !active)) return undefined;
  const place = placeOf(panes.box(panes.groupOf(active?.id ?? '')?.id));
  return createRoot((dispose) => {
    let host: HTMLDivElement | undefined;
    const frame = (
      <div class="panel" classList={{ 'panel-below-strip': is_split }} style={place} aria-hidden="true">
        <div class="panel-main">
          <div class="terminal">
            <div class="pane-bar" />
            <div class="terminal-middle">
              <div class="terminal-screen">
                <div class="terminal-place">
                  <div class="terminal-host" ref={host} />
                </div>
              </div>
            </div>
          </div>
        </div>
      </div>
    ) as HTMLElement;
    area.append(frame);
    const { renderer } = app.preferences.values;
    const size = host && expectedSize(host, { look: lookOf(app), renderer });
    frame.remove();
    dispose();
    return size;
  });
}
