import { describe, expect, it } from 'vitest';
import { isForAdmins, rightsOf } from '../../../apps/web/shell/rights.ts';

declare module '../../../apps/web/workspace/windows.ts' {
  interface Windows {
    of_admins: unknown;
    of_all: unknown;
  }
}

describe('the rights of the signed-in user', () => {
  it('are equal whatever the order of the groups', () => {
    const rights = (is_admin: boolean, allowed_groups: string[]) => rightsOf({ is_admin, allowed_groups });
    expect(rights(false, ['b', 'a'])).toBe(rights(false, ['a', 'b']));
    expect(rights(false, ['a'])).not.toBe(rights(false, ['a', 'b']));
    expect(rights(true, ['a'])).not.toBe(rights(false, ['a']));
  });

  it('close the dialogs of administrators when they are lost', () => {
    const View = () => null;
    const features = [{ windows: { of_admins: { View, for_admins: true }, of_all: { View } } }];
    expect(isForAdmins(features, { kind: 'of_admins' })).toBe(true);
    expect([isForAdmins(features, { kind: 'of_all' }), isForAdmins(features, undefined)]).toEqual([
      false,
      false,
    ]);
  });
});
