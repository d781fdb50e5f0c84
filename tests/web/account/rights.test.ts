import { describe, expect, it } from 'vitest';
import { isForAdmins, rightsOf } from '../../../apps/web/shell/rights.ts';

describe('the rights of the signed-in user', () => {
  it('are equal whatever the order of the groups', () => {
    const rights = (is_admin: boolean, allowed_groups: string[]) => rightsOf({ is_admin, allowed_groups });
    expect(rights(false, ['b', 'a'])).toBe(rights(false, ['a', 'b']));
    expect(rights(false, ['a'])).not.toBe(rights(false, ['a', 'b']));
    expect(rights(true, ['a'])).not.toBe(rights(false, ['a']));
  });

  it('close the dialogs of administrators when they are lost', () => {
    expect(isForAdmins({ kind: 'server_form', server: undefined })).toBe(true);
    expect([isForAdmins({ kind: 'password' }), isForAdmins(undefined)]).toEqual([false, false]);
  });
});
