import { expect, it } from 'vitest';
import { createTypedRecently } from '../../../apps/web/terminal/keyboard/typed-recently.ts';

it('treats Enter as input for the shell while it is part of fast typing', () => {
  const recent = createTypedRecently();
  expect(recent.isOn({ timeStamp: 5 })).toBe(false);
  recent.typed({ timeStamp: 1000 });
  expect([1100, 1600, 1700, 9000].map((timeStamp) => recent.isOn({ timeStamp }))).toEqual([
    ...[true, true, false, false],
  ]);
});
