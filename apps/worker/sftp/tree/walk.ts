import { Fault } from '#core/errors.ts';
import { nameOf } from '#core/lib/paths/posix-path.ts';
import { untilAborted } from '#core/lib/time/deadline.ts';
import { kindOf } from '../protocol/attributes.ts';
import type { SftpChannel } from '../protocol/channel.ts';
import { lstatPath } from './move.ts';
import { createWalkQueue, type WalkQueueOptions } from './walk-queue.ts';
import { type Step, toProblemStep } from './walk-step.ts';

export type WalkOptions = Omit<WalkQueueOptions, 'root'>;

/** Yields the root, then batches, while later directories are read ahead. */
export async function* walkSteps(
  channel: SftpChannel,
  root: string,
  { signal, ...options }: WalkOptions,
): AsyncGenerator<Step[]> {
  signal.throwIfAborted();
  const first = await untilAborted(signal, stepAtRoot(channel, root));
  yield [first];
  if (!first.entry.is_directory) return;
  const stopped = new AbortController();
  const either = AbortSignal.any([signal, stopped.signal]);
  const line = createWalkQueue(channel, { ...options, root, signal: either });
  try {
    for (;;) {
      const batch = await untilAborted(signal, line.next());
      if (!batch) return;
      yield batch;
    }
  } finally {
    stopped.abort(new Fault('host_disconnected', 'The walk was stopped'));
  }
}

async function stepAtRoot(channel: SftpChannel, path: string): Promise<Step> {
  try {
    const attributes = await lstatPath(channel, path);
    if (!attributes) throw new Fault('file_not_found');
    const is_directory = kindOf(attributes) === 'directory';
    return {
      relative: '',
      entry: { name: nameOf(path), path, attributes, is_directory, addressable: true },
    };
  } catch (error) {
    return toProblemStep(channel, { path, relative: '' }, error);
  }
}
