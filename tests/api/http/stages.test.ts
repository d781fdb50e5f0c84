import { expect, it } from 'vitest';
import { createStages } from '#api/routes/terminals/stages.ts';

function setUp() {
  const sent: unknown[] = [];
  let timer = () => {};
  const after = (_ms: number, run: () => void) => {
    timer = run;
    return () => {
      timer = () => {};
    };
  };
  return { sent, stages: createStages(after, (frame) => sent.push(frame)), wait: () => timer() };
}

it('A connection that opens at once reports no stages', () => {
  const { sent, stages, wait } = setUp();
  stages.at('tcp', undefined);
  stages.at('auth', undefined);
  stages.stop();
  wait();
  expect(sent).toEqual([]);
});

it('A slow connection reports its current stage and each stage that follows', () => {
  const { sent, stages, wait } = setUp();
  stages.at('resolve', 'bastion');
  stages.at('tcp', 'bastion');
  wait();
  stages.at('handshake', 'bastion');
  stages.stop();
  stages.at('shell', undefined);
  expect(sent).toEqual([
    { type: 'stage', stage: 'tcp', hop: 'bastion' },
    { type: 'stage', stage: 'handshake', hop: 'bastion' },
  ]);
});
