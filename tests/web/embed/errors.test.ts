import { expect, it } from 'vitest';
import { toError } from '../../../apps/web/embed/errors.ts';

it.each([
  ['an error', new TypeError('No answer'), { code: 'page', message: 'No answer' }],
  [
    'an error with a code',
    Object.assign(new Error('Gone'), { code: 'gone' }),
    { code: 'gone', message: 'Gone' },
  ],
  ['a text', 'No answer', { code: 'page', message: 'No answer' }],
  ['an object with a message', { message: 'No answer' }, { code: 'page', message: 'No answer' }],
  ['another object', { status: 500 }, { code: 'page', message: 'Unknown error' }],
  ['nothing', undefined, { code: 'page', message: 'Unknown error' }],
])('A page that throws %s gets a readable error', (_, thrown, told) => {
  expect(toError(thrown)).toEqual(told);
});
