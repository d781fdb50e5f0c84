import { moveCursor } from '../../lib/move-cursor.ts';
import type { Server } from '../../servers/servers.ts';
import type { Opening } from './opening.ts';
import { parentOf, type RailModel } from './rail-model.ts';
import { groupOf, type Row } from './rows.ts';

interface Options {
  readonly model: RailModel;
  readonly opening: Opening;
  serverOf(server_id: number): Server | undefined;
  toggleFavorite(server_id: number): void;
  /** Number of visible rows. */
  page(): number;
  /** Moves the cursor and shows its row. */
  moveTo(index: number): void;
  openMenu(): void;
  /** Opens the page of a group. */
  openGroup(name: string): void;
  focusTree(): void;
  focusSearch(): void;
}

export interface RailKeys {
  onTreeKey(event: KeyboardEvent): void;
  onSearchKey(event: KeyboardEvent): void;
}

type Work = (() => void) | undefined;

/** The keys of the tree, and those of the search box that act on the tree. */
export function createRailKeys(options: Options): RailKeys {
  return {
    onTreeKey: (event) => {
      if (event.target === event.currentTarget) run(event, treeWork(event, options));
    },
    onSearchKey: (event) => run(event, searchWork(event, options)),
  };
}

function run(event: KeyboardEvent, work: Work): void {
  if (!work) return;
  event.preventDefault();
  work();
}

function treeWork(event: KeyboardEvent, options: Options): Work {
  return choiceWork(event, options) ?? rowWork(event, options);
}

function rowWork(event: KeyboardEvent, options: Options): Work {
  const { model, openMenu, focusSearch } = options;
  const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
  if (key === 'ContextMenu' || (key === 'F10' && shiftKey)) return openMenu;
  const common = commonWork(event, options);
  if (common || ctrlKey || metaKey || altKey) return common;
  const row = activeRow(options);
  if (key === 'Home' || key === 'End') return moveWork(key, options);
  if (key === 'ArrowRight' || key === 'ArrowLeft') return sideWork(key, options);
  if (key === ' ' && row?.kind === 'section') return () => model.setOpen(row.section, !row.is_open);
  if (row?.kind === 'server') {
    if (key === 'f') return () => openRow(row, options, 'files');
    if (key === '*') return () => options.toggleFavorite(row.server_id);
  }
  if (key === 'Escape' && model.text() !== '') return () => model.setText('');
  if (isTyped(key) || (key === 'Backspace' && model.text() !== '')) focusSearch(); // the key is typed there
  return undefined;
}

/** Selects, as in other lists. */
function choiceWork(event: KeyboardEvent, { model, page, moveTo }: Options): Work {
  const { key, altKey, shiftKey } = event;
  const { selection, active, rows } = model;
  const is_ctrl = event.ctrlKey || event.metaKey;
  if (altKey) return undefined;
  if (key === 'Escape' && selection.count() > 0) return selection.clear;
  if (key === ' ' && (is_ctrl || rows()[active()]?.kind === 'server'))
    return () => selection.reach(active(), 'toggle');
  if (key === 'a' && is_ctrl) return selection.all;
  const target = shiftKey ? moveCursor(key, active(), rows().length, page()) : undefined;
  if (target === undefined) return undefined;
  return () => {
    selection.reach(target, is_ctrl ? 'range_more' : 'range', active());
    moveTo(target);
  };
}

function searchWork(event: KeyboardEvent, options: Options): Work {
  const { model, focusTree } = options;
  const is_searching = model.text() !== '';
  if (event.key === 'Escape' && model.selection.count() > 0) return model.selection.clear;
  if (event.key === 'Escape' && is_searching)
    return () => {
      model.setText('');
      focusTree();
    };
  if (event.key === 'ArrowDown' && !is_searching) return focusTree;
  return is_searching || event.key !== 'Enter' ? commonWork(event, options) : undefined;
}

/** The same in the tree and in the search box. */
function commonWork(event: KeyboardEvent, options: Options): Work {
  const { key, ctrlKey, metaKey, altKey } = event;
  if (key !== 'Enter')
    return ctrlKey || metaKey || altKey ? undefined : moveWork(key, options, ['Home', 'End']);
  const row = activeRow(options);
  if (!row) return undefined;
  return () => {
    if (row.kind === 'section') pressSection(row, options, ctrlKey || metaKey);
    else if (ctrlKey || metaKey) openRow(row, options, 'beside');
    else openRow(row, options, altKey ? 'files' : undefined);
  };
}

function pressSection(
  { section, is_open }: Extract<Row, { kind: 'section' }>,
  { model, openGroup }: Options,
  is_ctrl: boolean,
): void {
  const group = is_ctrl ? groupOf(section.id) : undefined;
  if (group === undefined) model.setOpen(section, !is_open);
  else openGroup(group);
}

/** A field keeps the focus, so it goes to the tree first. */
function openRow(row: Extract<Row, { kind: 'server' }>, options: Options, how?: 'files' | 'beside'): void {
  const server = options.serverOf(row.server_id);
  if (!server) return;
  options.focusTree();
  if (how === 'beside') options.opening.openBeside(server);
  else options.opening.open(server, how);
  options.model.endSearch();
}

function moveWork(key: string, { model, page, moveTo }: Options, except: readonly string[] = []): Work {
  if (except.includes(key)) return undefined;
  const target = moveCursor(key, model.active(), model.rows().length, page());
  return target === undefined ? undefined : () => moveTo(target);
}

/** Right opens a section or enters it; left closes it or leaves it. */
function sideWork(key: 'ArrowRight' | 'ArrowLeft', options: Options): Work {
  const { model, moveTo } = options;
  const row = activeRow(options);
  const wants_open = key === 'ArrowRight';
  if (row?.kind === 'section' && row.is_open !== wants_open)
    return () => model.setOpen(row.section, wants_open);
  if (row?.kind === 'section') return wants_open ? () => moveTo(model.active() + 1) : undefined;
  const parent = parentOf(model.rows(), model.active());
  return wants_open || parent < 0 ? undefined : () => moveTo(parent);
}

function activeRow({ model }: Options): Row | undefined {
  return model.rows()[model.active()];
}

function isTyped(key: string): boolean {
  return [...key].length === 1 && key !== ' ';
}
