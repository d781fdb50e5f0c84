import { expect, it } from 'vitest';
import { memberStream } from '#core/files/archives/member-stream.ts';

it('A member that is cancelled is closed at once, though its host does not answer', async () => {
  let closed = 0;
  const silent = (async function* () {
    yield new Uint8Array(1);
    await new Promise(() => {});
  })();
  const reader = memberStream(silent, async () => {
    closed += 1;
  }).getReader();
  await reader.read();
  reader.read().catch(() => undefined);
  await reader.cancel();
  expect(closed).toBe(1);
});
