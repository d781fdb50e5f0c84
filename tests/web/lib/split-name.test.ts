import { expect, it } from 'vitest';
import { splitName } from '../../../apps/web/lib/split-name.ts';

it('A name is cut in the middle, so that its end stays, unless it is short', () => {
  expect(splitName('web-12')).toEqual({ head: '', tail: 'web-12' });
  expect(splitName('handmade')).toEqual({ head: '', tail: 'handmade' });
  expect(splitName('production-frankfurt-web-12')).toEqual({ head: 'production-frankfurt', tail: '-web-12' });
  expect(splitName('production-web-0012', 5)).toEqual({ head: 'production-web', tail: '-0012' });
  expect(splitName('ñandú-🚢-production-web-12').tail).toBe('-web-12');
});
