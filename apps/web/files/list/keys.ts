import type { Accessor } from 'solid-js';
import { moveCursor } from '../../lib/move-cursor.ts';
import type { FileTab } from '../file-tab.ts';
import type { ListCursor } from './cursor.ts';
import { findByPrefix } from './entries.ts';
import { reachOf } from './selection.ts';

const TYPING_PAUSE_MS = 700;

interface Options {
  readonly files: FileTab;
  /** Number of visible rows. */
  readonly page: () => number;
  readonly openMenu: () => void;
}

interface KeyedList extends Pick<ListCursor<unknown>, 'cursor' | 'setCursor' | 'reach' | 'walk'> {
  readonly entries: Accessor<readonly { readonly name: string }[]>;
}

interface KeyOptions extends Pick<Options, 'page'> {
  readonly list: KeyedList;
  /** By chord, such as `Ctrl+a`. */
  readonly commands: Readonly<Record<string, () => void>>;
}

type Chord = Pick<KeyboardEvent, 'key' | 'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey'>;

/** Keyboard handling of the list of files. */
export function createFileKeys({ files, page, openMenu }: Options): (event: KeyboardEvent) => void {
  return createListKeys({ list: files, page, commands: commandsOf(files, openMenu) });
}

/** Movement, selection, commands and type-ahead. */
export function createListKeys({ list, page, commands }: KeyOptions): (event: KeyboardEvent) => void {
  const typeAhead = createTypeAhead((typed, is_more) => {
    const at = findByPrefix(list.entries(), typed, list.cursor() + (is_more ? 0 : 1));
    if (at !== undefined) list.setCursor(at);
  });

  function workOf(event: Chord): (() => void) | undefined {
    const is_plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    const is_typed = is_plain && typeAhead(event.key);
    if (is_typed) return () => undefined;
    return commands[nameOfChord(event)] ?? movement(list, event, page());
  }
  return (event) => {
    if (event.target !== event.currentTarget) return;
    const work = workOf(event);
    if (!work) return;
    event.preventDefault();
    work();
  };
}

function movement(list: KeyedList, event: Chord, page: number): (() => void) | undefined {
  const target = moveCursor(event.key, list.cursor(), list.entries().length, page);
  if (target === undefined || event.altKey) return undefined;
  const how = reachOf(event);
  return () => (how === 'toggle' ? list.walk(target) : list.reach(target, how));
}

function commandsOf(files: FileTab, openMenu: () => void): Readonly<Record<string, () => void>> {
  const askDelete = () => files.ask('delete');
  const toggle = () => files.reach(files.cursor(), 'toggle');
  return {
    Enter: () => files.openEntry(files.entries()[files.cursor()]),
    Backspace: files.goUp,
    'Alt+ArrowUp': files.goUp,
    ' ': toggle,
    'Ctrl+ ': toggle,
    'Ctrl+a': files.selectAll,
    Escape: files.clearSelection,
    F2: files.rename,
    F7: () => files.make('directory'),
    Delete: askDelete,
    'Ctrl+Backspace': askDelete,
    'Alt+Enter': () => files.ask('properties'),
    ContextMenu: openMenu,
    'Shift+F10': openMenu,
  };
}

export function nameOfChord({ key, ctrlKey, metaKey, altKey, shiftKey }: Chord): string {
  const held = [ctrlKey || metaKey ? 'Ctrl' : '', altKey ? 'Alt' : '', shiftKey ? 'Shift' : ''];
  const name = key.length === 1 ? key.toLowerCase() : key;
  return [...held.filter((modifier) => modifier !== ''), name].join('+');
}

/** Letters typed in quick succession form one prefix, which cannot start with a space. */
function createTypeAhead(find: (typed: string, is_more: boolean) => void): (key: string) => boolean {
  let typed = '';
  let last_ms = Number.NEGATIVE_INFINITY;
  return (key) => {
    const now = performance.now();
    const is_more = now - last_ms < TYPING_PAUSE_MS;
    const is_letter = [...key].length === 1 && (key !== ' ' || is_more);
    last_ms = is_letter ? now : Number.NEGATIVE_INFINITY; // any other key starts a new prefix
    if (!is_letter) return false;
    typed = is_more ? typed + key : key;
    find(typed, is_more);
    return true;
  };
}
