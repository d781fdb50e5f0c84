import { type Accessor, createEffect, createSignal, onCleanup } from 'solid-js';
import type { TerminalTarget } from '#client/terminal/target.ts';
import { isAnswer } from '../open-terminals/reports.ts';
import { createBell } from './bell.ts';
import { withBackspace } from './keyboard/keys.ts';
import { canOpenAgain, firstAim, freshAim, isGuest, isIdle } from './opening/aims-of-tabs.ts';
import { startShell } from './opening/request-before-pane.ts';
import type { PaneEvents } from './pane/events.ts';
import { linkHint } from './pane/links.ts';
import { openPane, type Pane } from './pane/pane.ts';
import { hintAtSelection } from './pane/selection-hint.ts';
import type { ControllerOptions, TerminalParts } from './parts.ts';
import type { Start } from './shell-link.ts';
import { keeper, lookOf } from './upkeep.ts';

const RING_MS = 150;

export interface PaneVerbs {
  /** True for a moment after the bell rings. */
  readonly rings: Accessor<boolean>;
  attach(element: HTMLElement): void;
  openAgain(): void;
  /** Undefined if it could not succeed or nothing has ended. */
  readonly again: Accessor<(() => void) | undefined>;
}

/** Opens the pane and, through it, the shell. */
export function createPaneVerbs(options: ControllerOptions, parts: TerminalParts): PaneVerbs {
  const { app, tab } = options;
  const { setPane, link } = parts;
  const { open, openAgain, again } = createOpenings(options, parts);
  const [rings, setRings] = createSignal(false);
  const keep = keeper<Pane>((opened) => opened.dispose());

  function ring(): void {
    setRings(true);
    setTimeout(() => setRings(false), RING_MS);
  }

  function attach(element: HTMLElement): void {
    const { renderer } = app.preferences.values;
    const label = app.t('terminal_of', { name: tab.server_name });
    const events = createPaneEvents({ app, tab, parts, ring, again });
    takeTypedBefore(options, parts, events);
    const aim = isIdle(tab) ? undefined : firstAim(tab);
    const is_new = aim?.kind === 'server' || aim?.kind === 'quick';
    const look = lookOf(app);
    const place = app.pane_place;
    const how = { look, renderer, label, answers: !isGuest(tab), events, ...(place ? { place } : {}) };
    const build = () => openPane(element, how);
    const show = (opened: Pane) => {
      if (keep(opened)) setPane(opened);
    };
    if (!aim) void build().then(show, link.fail);
    else if (!is_new)
      void build().then((opened) => {
        if (!keep(opened)) return;
        open(aim, opened.size());
        setPane(opened); // what was typed before follows, and needs the link
      }, link.fail);
    else
      startShell({
        element,
        drawn: { look, renderer },
        open: (size, start) => open(aim, size, start),
        build: () => build().then(show, link.fail),
      });
  }

  return { rings, attach, openAgain, again };
}

/** Opens the shell, and opens it again once it has ended. */
function createOpenings({ tab, active }: ControllerOptions, parts: TerminalParts) {
  const { pane, link, queue, facts, setTitle, setDirectory } = parts;

  function open(aim: TerminalTarget, size = pane()?.size(), start: Start = {}): void {
    queue.settle();
    facts.begin();
    setTitle('');
    setDirectory(undefined);
    link.open(aim, size, start);
  }

  function openAgain(): void {
    const state = link.state();
    const how = state.kind === 'over' ? state.ending.kind : undefined;
    if (how === 'taken_over') link.reconnectNow();
    else if (how === 'unreachable' || how === 'proxy') open(firstAim(tab));
    else {
      pane()?.beginAnew();
      open(freshAim(tab));
    }
    if (active()) pane()?.focus(); // the focus would make its tab the active one
  }

  function again(): (() => void) | undefined {
    const state = link.state();
    if (state.kind !== 'idle' && state.kind !== 'over') return undefined;
    return state.kind === 'idle' || canOpenAgain(tab, state.ending) ? openAgain : undefined;
  }

  return { open, openAgain, again };
}

/** Takes what was typed for this terminal before it was there, and while it cannot have the focus. */
function takeTypedBefore(
  { app, open_terminals, tab }: ControllerOptions,
  parts: TerminalParts,
  events: PaneEvents,
): void {
  const { pane, facts } = parts;
  createEffect(() => {
    if (!pane()) return;
    const unbind = open_terminals.typing.bind(tab.id, {
      take: (typed) => (typed.kind === 'keys' ? events.input(typed.data) : events.paste(typed.text)),
      overflow: () => facts.note({ code: 'input_lost', message: app.t('notice_input_lost') }),
    });
    onCleanup(unbind);
  });
}

interface EventParts extends Pick<ControllerOptions, 'app' | 'tab'> {
  readonly parts: TerminalParts;
  readonly ring: () => void;
  readonly again: () => (() => void) | undefined;
}

function createPaneEvents({ app, tab, parts, ring, again }: EventParts): PaneEvents {
  const { values, zoom } = app.preferences;
  const { keyboard, link, paste, clipboard, search, ended, setTitle } = parts;
  const is_guest = isGuest(tab);
  return {
    input(data) {
      if (is_guest && isAnswer(data)) return;
      keyboard.type(typeof data === 'string' ? withBackspace(data, values.backspace) : data);
    },
    resize: (size) => void (is_guest || link.resize(size)),
    paste: paste.offer,
    pasteFromClipboard: () => void paste.read(),
    pastesBySecondButton: () => values.right_click === 'paste',
    zoom,
    copyOnSelect: () => values.copy_on_select,
    search: search.open,
    found: search.tell,
    bell: createBell({ visual: ring, kind: () => values.bell }),
    linkHint: () => linkHint(app.t),
    clipboardWritten: (text) => void clipboard.write(text),
    clipboardAsked: () => void (is_guest || clipboard.read()),
    titled: setTitle,
    located: parts.setDirectory,
    small: parts.setSmall,
    draggedInProgram: () => hintAtSelection((code) => parts.facts.note({ code, message: '' })),
    ended,
    openAgain: () => again()?.(),
  };
}
