import { describe, expect, it } from 'vitest';
import { type FileTurn, placeSeveral, type UploadedFile } from '#core/files/uploads/several.ts';

const LARGE_BYTES = 200 * 1024;

async function* content(bytes: number) {
  for (let left = bytes; left > 0; left -= 64 * 1024) yield new Uint8Array(Math.min(left, 64 * 1024));
}

async function* form(
  ...files: readonly (readonly [name: string, bytes: number])[]
): AsyncGenerator<UploadedFile> {
  for (const [name, bytes] of files) yield { name, content: content(bytes) };
}

/** Places files when the test says so. */
function setUp(max_bytes?: number) {
  const begun: string[] = [];
  const ended: string[] = [];
  const limits: (number | undefined)[] = [];
  const waiting = new Map<string, PromiseWithResolversOf<void>>();
  async function place({ name, source, limit_bytes, signal }: FileTurn): Promise<number> {
    begun.push(name);
    limits.push(limit_bytes);
    let size = 0;
    for await (const bytes of source) size += bytes.length;
    await (waiting.get(name)?.promise ?? undefined);
    signal.throwIfAborted();
    ended.push(name);
    return size;
  }
  const hold = (name: string) => {
    const held = withResolvers<void>();
    waiting.set(name, held);
    return held;
  };
  const send = (files: AsyncIterable<UploadedFile>) =>
    placeSeveral(files, { signal: new AbortController().signal, max_bytes, place });
  return { send, hold, begun, ended, limits };
}

type PromiseWithResolversOf<T> = ReturnType<typeof withResolvers<T>>;

function withResolvers<T>() {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

const soon = () => new Promise(setImmediate);

describe('The files of one form', () => {
  it('are placed several at once while they are small', async () => {
    const { send, hold, begun, ended } = setUp();
    const first = hold('a');
    const sent = send(form(['a', 5], ['b', 5], ['c', 0]));
    while (ended.length < 2) await soon();
    expect([begun, ended]).toEqual([
      ['a', 'b', 'c'],
      ['b', 'c'],
    ]);
    first.resolve();
    await sent;
    expect(ended).toEqual(['b', 'c', 'a']);
  });

  it('are read one after the other while they are large', async () => {
    const { send, hold, begun, ended } = setUp();
    const first = hold('a');
    const sent = send(form(['a', LARGE_BYTES], ['b', 5]));
    for (let turns = 0; turns < 20; turns += 1) await soon();
    expect(begun).toEqual(['a']);
    first.resolve();
    await sent;
    expect(ended).toEqual(['a', 'b']);
  });

  it('with one name are placed in their order', async () => {
    const { send, hold, begun } = setUp();
    const first = hold('a');
    const sent = send(form(['a', 5], ['A', 5], ['b', 5]));
    while (!begun.includes('b')) await soon();
    expect(begun).toEqual(['a', 'b']);
    first.resolve();
    await sent;
    expect(begun).toEqual(['a', 'b', 'A']);
  });

  it('stay if they come before a failure, and the first failure is reported', async () => {
    const { send, hold, ended } = setUp();
    const [first, second, third] = [hold('a'), hold('b'), hold('c')];
    const failure = expect(send(form(['a', 5], ['b', 5], ['c', 5]))).rejects.toThrow('b failed');
    await soon();
    third.reject(new Error('c failed'));
    await soon();
    second.reject(new Error('b failed'));
    await soon();
    first.resolve();
    await failure;
    expect(ended).toEqual(['a']);
  });

  it('share one limit', async () => {
    const { send, limits } = setUp(LARGE_BYTES + 100);
    await send(form(['a', 40], ['b', LARGE_BYTES], ['c', 10]));
    expect(limits).toEqual([LARGE_BYTES + 100, LARGE_BYTES + 60, 60]);
  });
});
