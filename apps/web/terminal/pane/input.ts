import type { IDisposable, Terminal } from '@xterm/xterm';
import { copyText, isMultiline } from '../../lib/clipboard.ts';
import { withoutControls } from '../../lib/controls.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { createTypedRecently, type TypedRecently } from '../keyboard/typed-recently.ts';
import type { PaneEvents } from './events.ts';

const MAX_TITLE = 256; // a program may send megabytes

/** Handles all user input of a terminal. */
export function listen(terminal: Terminal, element: HTMLElement, events: PaneEvents): IDisposable {
  const onPaste = (event: ClipboardEvent) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    events.paste(event.clipboardData?.getData('text/plain') ?? '');
  };
  const onInsert = (event: InputEvent) => {
    const text = insertedText(event);
    if (text === undefined) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    events.paste(text);
  };
  const onRelease = () => {
    if (events.copyOnSelect() && terminal.hasSelection()) void copyText(terminal.getSelection());
  };
  const onSecondButton = (event: MouseEvent) => takeSecondButton(event, terminal, events);
  const recent = createTypedRecently();
  terminal.onData((data) => events.input(data));
  terminal.onBinary((data) => events.input(Uint8Array.from(data, (character) => character.charCodeAt(0))));
  terminal.onResize((size) => events.resize({ cols: size.cols, rows: size.rows }));
  terminal.onBell(() => events.bell());
  terminal.onTitleChange((title) => events.titled(visibleText(title.slice(0, MAX_TITLE))));
  terminal.attachCustomKeyEventHandler(
    (event) => !(takesKeyOfEnd(event, events, recent) || takesKey(event, terminal, events)),
  );
  element.addEventListener('paste', onPaste, true);
  element.addEventListener('beforeinput', onInsert, true);
  element.addEventListener('mouseup', onRelease);
  element.addEventListener('contextmenu', onSecondButton, true);
  return {
    dispose() {
      element.removeEventListener('paste', onPaste, true);
      element.removeEventListener('beforeinput', onInsert, true);
      element.removeEventListener('mouseup', onRelease);
      element.removeEventListener('contextmenu', onSecondButton, true);
    },
  };
}

/** Text that was dropped, or that an on-screen keyboard inserts from its own clipboard, is a paste too. */
function insertedText({ inputType, data, dataTransfer }: InputEvent): string | undefined {
  const text = data ?? dataTransfer?.getData('text/plain') ?? '';
  if (inputType.startsWith('insertFrom') && inputType !== 'insertFromComposition') return text;
  const is_unsafe = text.length > 1 && (isMultiline(text) || withoutControls(text).removed.length > 0);
  return inputType === 'insertText' && is_unsafe ? text : undefined;
}

/** A program that tracks the mouse gets the click, except with Shift; otherwise it pastes or opens a menu. */
function takeSecondButton(event: MouseEvent, { modes }: Terminal, events: PaneEvents): void {
  const is_of_program = modes.mouseTrackingMode !== 'none' && !event.shiftKey;
  if (!is_of_program && !events.pastesBySecondButton()) return;
  event.preventDefault();
  event.stopPropagation();
  if (!is_of_program) events.pasteFromClipboard();
}

/** The page's own shortcuts, which are not sent to the shell. */
function takesKey(event: KeyboardEvent, terminal: Terminal, events: PaneEvents): boolean {
  if (event.type !== 'keydown' || !(event.ctrlKey || event.metaKey) || event.altKey) return false;
  if (event.shiftKey && takesShifted(event, terminal, events)) return true;
  const step = zoomStep(event.key);
  if (step === undefined) return false;
  event.preventDefault();
  events.zoom(step);
  return true;
}

function takesShifted(event: KeyboardEvent, terminal: Terminal, events: PaneEvents): boolean {
  if (event.code === 'KeyV') return true; // the browser pastes
  if (event.code !== 'KeyC' && event.code !== 'KeyF') return false;
  event.preventDefault();
  if (event.code === 'KeyF') events.search();
  else if (terminal.hasSelection()) void copyText(terminal.getSelection());
  return true;
}

/** Without a shell, Tab is left to the page and Enter opens a new shell. */
function takesKeyOfEnd(event: KeyboardEvent, events: PaneEvents, recent: TypedRecently): boolean {
  const is_down = event.type === 'keydown';
  if (!events.ended() || (event.key !== 'Tab' && event.key !== 'Enter')) {
    if (is_down) recent.typed(event);
    return false;
  }
  if (!is_down || event.key === 'Tab') return true;
  event.preventDefault();
  if (!event.repeat && !recent.isOn(event)) events.openAgain();
  return true;
}

function zoomStep(key: string): 1 | -1 | 0 | undefined {
  if (key === '+' || key === '=') return 1;
  if (key === '-') return -1;
  return key === '0' ? 0 : undefined;
}
