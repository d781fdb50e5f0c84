import { describe, expect, it } from 'vitest';
import { isForAdmins, rightsOf } from '../../../apps/web/shell/rights.ts';

describe('the rights of who is signed in', () => {
  it('are the same in whatever order the groups come', () => {
    const rights = (is_admin: boolean, allowed_groups: string[]) => rightsOf({ is_admin, allowed_groups });
    expect(rights(false, ['b', 'a'])).toBe(rights(false, ['a', 'b']));
    expect(rights(false, ['a'])).not.toBe(rights(false, ['a', 'b']));
    expect(rights(true, ['a'])).not.toBe(rights(false, ['a']));
  });

  it('close with them the dialogs of administrators', () => {
    expect(isForAdmins({ kind: 'server_form', server: undefined })).toBe(true);
    expect([isForAdmins({ kind: 'password' }), isForAdmins(undefined)]).toEqual([false, false]);
  });
});
