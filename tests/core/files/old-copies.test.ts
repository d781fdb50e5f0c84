import { expect, it } from 'vitest';
import { createOldCopyTest, oldCopyName } from '#core/policy/old-copy.ts';

it('The name of an old copy tells its file, and no two copies have the same name', async () => {
  const [one, other] = [await oldCopyName('/etc/motd'), await oldCopyName('/etc/motd')];
  expect(one).not.toBe(other);
  const isCopy = await createOldCopyTest('/etc/motd');
  const isOther = await createOldCopyTest('/etc/issue');
  expect([isCopy(one), isCopy(other), isOther(one), isCopy('.sallyport-abcdefghijkl.old')]).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
