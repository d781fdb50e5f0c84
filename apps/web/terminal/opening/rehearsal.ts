import type { App } from '../../app/context.ts';
import { whenIdle } from '../../lib/idle.ts';
import type { Terminals } from '../../open-terminals/terminals.ts';
import type { PaneEvents } from '../pane/events.ts';
import { fontReady } from '../pane/font.ts';
import { drawsWithGpu } from '../pane/gpu.ts';
import { openPane } from '../pane/pane.ts';
import { lookOf } from '../upkeep.ts';

const REHEARSED_WITHIN_MS = 2000;

const nothing = () => undefined;
const NO_EVENTS: PaneEvents = {
  input: nothing,
  resize: nothing,
  paste: nothing,
  pasteFromClipboard: nothing,
  pastesBySecondButton: () => false,
  zoom: nothing,
  copyOnSelect: () => false,
  search: nothing,
  found: nothing,
  bell: nothing,
  linkHint: () => '',
  draggedInProgram: nothing,
  titled: nothing,
  located: nothing,
  small: nothing,
  clipboardWritten: nothing,
  clipboardAsked: nothing,
  ended: () => false,
  openAgain: nothing,
};

/** Does before the first terminal what it would wait for. The result cancels. */
export function prepareTerminal(app: App, terminals: Terminals): () => void {
  void fontReady(app.preferences.values);
  drawsWithGpu(app.preferences.values.renderer);
  return whenIdle(() => {
    if (terminals.list().length === 0) void rehearse(app).catch(nothing); // a real one shows what is wrong
  }, REHEARSED_WITHIN_MS);
}

/** Builds a terminal that nobody sees: the browser then has its code compiled, and builds the next one in half the time. */
async function rehearse(app: App): Promise<void> {
  const area = app.place.root.querySelector('.workspace > .middle');
  if (!area) return;
  const stage = document.createElement('div');
  stage.className = 'terminal-rehearsal';
  stage.inert = true;
  area.append(stage);
  try {
    const { renderer } = app.preferences.values;
    const pane = await openPane(stage, {
      look: lookOf(app),
      renderer,
      label: '',
      answers: false,
      events: NO_EVENTS,
      ...(app.pane_place ? { place: app.pane_place } : {}),
    });
    await new Promise<void>((drawn) => pane.write(new TextEncoder().encode('$ '), drawn));
    pane.dispose();
  } finally {
    stage.remove();
  }
}
