import { expect, it } from 'vitest';
import { createHaste } from '../../../apps/web/terminal/pane/haste.ts';

it('treats Enter as input for the shell while it is part of fast typing', () => {
  const haste = createHaste();
  expect(haste.isOn({ timeStamp: 5 })).toBe(false);
  haste.typed({ timeStamp: 1000 });
  expect([1100, 1600, 1700, 9000].map((timeStamp) => haste.isOn({ timeStamp }))).toEqual([
    ...[true, true, false, false],
  ]);
});
