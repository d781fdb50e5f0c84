import { Readable } from 'node:stream';

/** Node only accepts a high-water mark at construction, which is up to ssh2; Node 10 to 24 keep it in this field. */
export function setReadAhead(stream: Readable, bytes: number): void {
  const { _readableState: state } = stream as Readable & { _readableState?: { highWaterMark: number } };
  if (state) state.highWaterMark = bytes;
}

/** Refuses to run with a version of Node that keeps the mark elsewhere: a paused stream would hold 4 MiB. */
export function assertReadAhead(): void {
  const stream = new Readable({ highWaterMark: 1 });
  setReadAhead(stream, 2);
  if (stream.readableHighWaterMark !== 2)
    throw new Error('This version of Node lacks Readable._readableState.highWaterMark (number)');
}
