import { type Accessor, createSignal } from 'solid-js';
import type { App } from '../../app/context.ts';
import type { Transfers } from '../../transfers/user-transfers.ts';
import { type DragState, type FileDrag, holdsFiles } from '../../workspace/drag.ts';
import type { FileTab } from '../file-tab.ts';
import { sizesOf } from '../list/entries.ts';
import { hindranceOf, sendHindrance } from '../rights.ts';
import { createMove } from './moves.ts';

/** Dropped entries that wait for a choice of copy or move. */
export interface DropQuestion {
  readonly drag: FileDrag;
  readonly directory: string;
  readonly x: number;
  readonly y: number;
}

export interface FileDrops {
  /** The directory under the pointer that would receive the drop. */
  readonly over: Accessor<string | undefined>;
  readonly question: Accessor<DropQuestion | undefined>;
  /** Why the dropped entries cannot be moved. */
  whyNotMove(question: DropQuestion): string | undefined;
  onDragOver(event: DragEvent, directory: string): void;
  onDragLeave(event: DragEvent & { currentTarget: Element }): void;
  onDrop(event: DragEvent, directory: string): void;
  answer(how: 'copy' | 'move' | undefined): void;
}

interface Deps {
  readonly app: App;
  readonly files: FileTab;
  readonly tab_id: string;
  readonly drags: DragState;
  readonly transfers: Pick<Transfers, 'uploadDrop' | 'copy'>;
}

/** Handles drops on a file tab. */
export function createFileDrops({ app, files, tab_id, drags, transfers }: Deps): FileDrops {
  const [over, setOver] = createSignal<string>();
  const [question, ask] = createSignal<DropQuestion>();
  const perform = createSending(app, files, transfers);
  const { whyNot, whyNotUpload } = createDropRules(app, files);
  const dragged = () => {
    const drag = drags.drag();
    return drag?.kind === 'files' ? drag : undefined;
  };
  const whyNotHere = (drag: FileDrag | undefined, directory: string, event: DragEvent) =>
    drag ? whyNot(drag, directory, wishOf(event, drag, tab_id) === 'move') : whyNotUpload(directory);

  function take(drag: FileDrag, directory: string, event: DragEvent): void {
    const wish = wishOf(event, drag, tab_id);
    if (wish) perform(drag, directory, wish);
    else ask({ drag, directory, x: event.clientX, y: event.clientY });
  }

  return {
    over,
    question,
    whyNotMove: ({ drag, directory }) => whyNot(drag, directory, true),
    onDragOver(event, directory) {
      const drag = dragged();
      if (!drag && !holdsFiles(event)) return;
      const why = whyNotHere(drag, directory, event);
      const is_taken = why === undefined;
      if (!drag) files.say(why ?? ''); // a refused drop fires no event, so the reason is shown now
      setOver(is_taken ? directory : undefined);
      event.preventDefault();
      const effect = drag ? (wishOf(event, drag, tab_id) ?? 'move') : 'copy';
      showEffect(event, is_taken ? effect : 'none');
    },
    onDragLeave(event) {
      const { relatedTarget, currentTarget } = event;
      if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setOver(undefined);
    },
    onDrop(event, directory) {
      setOver(undefined);
      const drag = dragged();
      if (!drag && !holdsFiles(event)) return;
      event.preventDefault();
      const why = whyNotHere(drag, directory, event);
      files.say(why ?? '');
      if (why !== undefined) return;
      if (drag) take(drag, directory, event);
      else if (event.dataTransfer)
        void transfers.uploadDrop(event.dataTransfer, { server_id: files.server_id, directory });
    },
    answer(how) {
      const asked = question();
      ask(undefined);
      if (asked && how) perform(asked.drag, asked.directory, how);
    },
  };
}

/** Moves within one server directly. Everything else becomes a transfer. */
function createSending(app: App, files: FileTab, transfers: Deps['transfers']) {
  const move = createMove(app, files);
  return (drag: FileDrag, directory: string, how: 'copy' | 'move'): void => {
    if (how === 'move' && drag.server_id === files.server_id) return void move(drag, directory);
    transfers.copy({
      source_server_id: drag.server_id,
      source_paths: drag.entries.map(({ path }) => path),
      sizes: sizesOf(drag.entries),
      target_server_id: files.server_id,
      target_path: directory,
      move: how === 'move',
    });
  };
}

function createDropRules({ t }: App, files: FileTab) {
  return {
    whyNot(drag: FileDrag, directory: string, is_move: boolean): string | undefined {
      const ways = { from: drag.server_id, to: files.server_id };
      const sending = { entries: drag.entries, move: is_move, directory };
      const why = sendHindrance(sending, files.server(), ways);
      return why && t(why);
    },
    whyNotUpload(directory: string): string | undefined {
      const place = { server: files.server(), directory, targets: [], is_demo: files.is_demo() };
      const why = hindranceOf('upload', place);
      return why && t(why);
    },
  };
}

function showEffect({ dataTransfer }: DragEvent, effect: 'none' | 'copy' | 'move'): void {
  if (dataTransfer) dataTransfer.dropEffect = effect;
}

/** Copy or move by the held keys; within one list, move. Undefined if the user must choose. */
function wishOf(event: DragEvent, drag: FileDrag, tab_id: string): 'copy' | 'move' | undefined {
  if (event.ctrlKey || event.altKey) return 'copy';
  return event.shiftKey || drag.tab_id === tab_id ? 'move' : undefined;
}
