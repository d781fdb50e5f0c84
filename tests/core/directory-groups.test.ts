import { describe, expect, it } from 'vitest';
import { rightsOf } from '#core/policy/directory-groups.ts';

const rules = {
  group_map: {
    developers: ['lab', 'web'],
    'cn=ops,ou=groups,dc=example,dc=org': ['production', 'lab'],
    Ärzte: ['clinic'],
  },
  admin_groups: ['admins', 'CN=Chiefs,OU=Groups,DC=example,DC=org'],
};

describe('What membership in the directory grants', () => {
  it('leaves what is stored when groups are not looked up', () => {
    expect(rightsOf(undefined, rules)).toEqual({});
  });

  it.each<[string, string[], boolean, string[]]>([
    ['nothing without a group', [], false, []],
    ['nothing for an unmapped group', ['strangers', '__proto__', 'constructor'], false, []],
    ['groups by name', ['developers'], false, ['lab', 'web']],
    ['groups by DN', ['cn=ops,ou=groups,dc=example,dc=org'], false, ['lab', 'production']],
    ['groups without regard to case', ['DEVELOPERS'], false, ['lab', 'web']],
    ['groups whatever the form of their characters', ['a\u0308rzte'], false, ['clinic']],
    [
      'each group once, sorted',
      ['developers', 'cn=ops,ou=groups,dc=example,dc=org'],
      false,
      ['lab', 'production', 'web'],
    ],
    ['administration by name', ['Admins'], true, []],
    ['administration by DN', ['cn=chiefs,ou=groups,dc=example,dc=org'], true, []],
  ])('grants %s', (_, groups, is_admin, allowed_groups) => {
    expect(rightsOf(groups, rules)).toEqual({ is_admin, allowed_groups });
  });

  it('grants administration to nobody when no group is named', () => {
    expect(rightsOf(['admins'], { group_map: {}, admin_groups: [] })).toEqual({
      is_admin: false,
      allowed_groups: [],
    });
  });
});
