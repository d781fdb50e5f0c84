import { ClientError } from '#client/transport/client-error.ts';
import type { App } from '../../app/context.ts';
import { movedTo } from '../../lib/paths.ts';
import type { FileDrag } from '../../workspace/drag.ts';
import type { BatchOutcome } from '../changes/batch.ts';
import type { FileTab } from '../file-tab.ts';

/** Moves within one server. Can be undone while the note is shown. */
export function createMove({ t }: App, files: FileTab) {
  const progress = () => ({ signal: new AbortController().signal, onProgress: () => undefined });

  function tell(outcome: BatchOutcome, again: (paths: readonly string[]) => void): void {
    const [first] = outcome.failures;
    if (!first) return;
    const taken = outcome.failures.filter(({ error }) => isTaken(error)).map(({ path }) => path);
    const count = outcome.failures.length + outcome.left.length;
    files.fail({
      title: t('files_not_moved', { count, total: count + outcome.done.length }),
      error: first.error,
      instead: taken.length === 0 ? undefined : { label: t('files_replace'), run: () => again(taken) },
    });
  }
  async function run(
    paths: readonly string[],
    from: string,
    into: { directory: string; overwrite: boolean },
  ) {
    files.dismiss();
    const outcome = await files.changes.move(paths, into, progress());
    tell(outcome, (taken) => void run(taken, from, { ...into, overwrite: true }));
    if (outcome.done.length > 0) offerBack(outcome.done, from, into.directory);
  }
  function offerBack(moved: readonly string[], from: string, directory: string): void {
    const back = moved.map((path) => movedTo(directory, path));
    files.say(t('files_moved', { count: moved.length }), {
      label: t('files_undo'),
      run: () => void undo(back, from),
    });
  }
  async function undo(paths: readonly string[], directory: string): Promise<void> {
    const outcome = await files.changes.move(paths, { directory, overwrite: false }, progress());
    files.say(t('files_undone', { count: outcome.done.length }));
    tell(outcome, () => undefined);
  }
  return (drag: FileDrag, directory: string) =>
    run(
      drag.entries.map(({ path }) => path),
      drag.directory,
      { directory, overwrite: false },
    );
}

function isTaken(error: unknown): boolean {
  return error instanceof ClientError && error.code === 'already_exists';
}
