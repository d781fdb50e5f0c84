import { describe, expect, it } from 'vitest';
import { screenOf } from '../../../apps/web/workspace/workspace.ts';

describe('the screen for a URL', () => {
  it.each([
    ['/account', 'account'],
    ['/account/two-factor', 'account'],
    ['/admin/users', 'admin'],
    ['/tabs/1', undefined],
    ['/accounts', undefined],
    ['/', undefined],
  ])('%s is %s', (path, screen) => {
    expect(screenOf(path)).toBe(screen);
  });
});
