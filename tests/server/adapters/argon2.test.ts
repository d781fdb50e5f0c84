import { expect, it } from 'vitest';
import { createArgon2Hasher } from '#server/adapters/argon2.ts';

it('A password hash costs 19 MiB and two passes of argon2id', async () => {
  expect(await createArgon2Hasher().hash('a password')).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
});
