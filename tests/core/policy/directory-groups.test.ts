import { describe, expect, it } from 'vitest';
import { foldDn, namingPartOf } from '#core/lib/text/distinguished-name.ts';
import type { DirectoryGroup } from '#core/policy/directory-groups.ts';
import { rightsOf } from '#core/policy/directory-groups.ts';

const rules = {
  group_map: {
    developers: ['lab', 'web'],
    'cn=ops,ou=groups,dc=example,dc=org': ['production', 'lab'],
    Ärzte: ['clinic'],
  },
  admin_groups: ['admins', 'CN=Chiefs,OU=Groups,DC=example,DC=org'],
};

const at = (dn: string): DirectoryGroup => ({ dn, names: [] });
const toGroup = (group: string | DirectoryGroup): DirectoryGroup =>
  typeof group === 'string' ? { dn: 'cn=elsewhere,dc=example', names: [group] } : group;

describe('Membership in directory groups', () => {
  it('leaves the stored rights unchanged when groups are not looked up', () => {
    expect(rightsOf(undefined, rules)).toEqual({});
  });

  it.each<[string, (string | DirectoryGroup)[], boolean, string[]]>([
    ['nothing without a group', [], false, []],
    ['nothing for an unmapped group', ['strangers', '__proto__', 'constructor'], false, []],
    ['groups by name', ['developers'], false, ['lab', 'web']],
    ['groups by DN', [at('cn=ops,ou=groups,dc=example,dc=org')], false, ['lab', 'production']],
    ['groups ignoring case', ['DEVELOPERS'], false, ['lab', 'web']],
    ['groups whatever the form of their characters', ['a\u0308rzte'], false, ['clinic']],
    [
      'each group once, sorted',
      ['developers', at('cn=ops,ou=groups,dc=example,dc=org')],
      false,
      ['lab', 'production', 'web'],
    ],
    ['administration by name', ['Admins'], true, []],
    ['administration by DN', [at('cn=chiefs,ou=groups,dc=example,dc=org')], true, []],
    [
      'administration by DN, whatever its spaces',
      [at('cn = chiefs , ou=Groups,dc=example, dc=org')],
      true,
      [],
    ],
    ['nothing for a name that looks like a DN', ['cn=Chiefs,OU=Groups,DC=example,DC=org'], false, []],
    ['nothing for a DN that looks like a name', [at('admins')], false, []],
    ['nothing for a DN that only ends alike', [at('cn=x,cn=chiefs,ou=groups,dc=example,dc=org')], false, []],
    ['nothing for a DN with an escaped comma', [at('cn=chiefs\\,ou=groups,dc=example,dc=org')], false, []],
  ])('grants %s', (_, groups, is_admin, allowed_groups) => {
    expect(rightsOf(groups.map(toGroup), rules)).toEqual({ is_admin, allowed_groups });
  });

  it('makes nobody an administrator when no group is named', () => {
    expect(rightsOf([toGroup('admins')], { group_map: {}, admin_groups: [] })).toEqual({
      is_admin: false,
      allowed_groups: [],
    });
  });
});

describe('The canonical form of a DN', () => {
  it.each([
    ['UID=Jane,DC=Example', 'uid=jane,dc=example'],
    ['uid = jane , dc=example', 'uid=jane,dc=example'],
    ['cn=u\u0308,dc=example', 'cn=ü,dc=example'],
    ['cn=Smith\\, John,dc=example', 'cn=smith\\2c john,dc=example'],
    ['cn=Smith\\2C John,dc=example', 'cn=smith\\2c john,dc=example'],
    ['cn=jane\\ ,dc=example', 'cn=jane\\20,dc=example'],
    ['cn=back\\\\,dc=example', 'cn=back\\5c,dc=example'],
    ['cn=a = b,dc=example', 'cn=a = b,dc=example'],
    ['', ''],
  ])('%j is %j', (dn, folded) => {
    expect(foldDn(dn)).toBe(folded);
    expect(foldDn(folded)).toBe(folded);
  });

  it.each([
    ['uid=jane,dc=example', 'uid=jane'],
    ['uid=jane+cn=jane doe,dc=example', 'uid=jane'],
    ['uid=jane\\, the\\+,dc=example', 'uid=jane, the+'],
    ['', ''],
  ])('of %j starts with %j', (dn, part) => {
    expect(namingPartOf(foldDn(dn))).toBe(part);
  });
});
