import { describe, expect, it } from 'vitest';
import { ldapWarning } from '#server/adapters/directory/ldap.ts';
import { describeConfig, parseConfig } from '#server/config/config.ts';
import { ConfigError } from '#server/config/config-error.ts';
import type { LdapConfig } from '#server/config/ldap.ts';

const MINIMAL = {
  SERVICE_LDAP_ENABLED: 'true',
  SERVICE_LDAP_URL: 'ldap://directory.example.org',
  SERVICE_LDAP_USER_BASE: 'ou=people,dc=example,dc=org',
};

function ldapOf(changes: Record<string, string> = {}): LdapConfig {
  const { ldap } = parseConfig({ ...MINIMAL, ...changes });
  if (!ldap) throw new Error('LDAP is not enabled');
  return ldap;
}

describe('The LDAP configuration', () => {
  it('is absent unless enabled', () => {
    expect(parseConfig({}).ldap).toBeUndefined();
    expect(parseConfig({ ...MINIMAL, SERVICE_LDAP_ENABLED: 'false' }).ldap).toBeUndefined();
  });

  it('has defaults', () => {
    expect(ldapOf()).toEqual({
      urls: ['ldap://directory.example.org'],
      starttls: false,
      ca_file: undefined,
      bind_dn: '',
      bind_password: '',
      user_base: 'ou=people,dc=example,dc=org',
      user_filter: '(uid={username})',
      group_base: undefined,
      group_filter: '(member={dn})',
      group_map: {},
      admin_groups: [],
    });
  });

  it('has several servers, separated by spaces or commas', () => {
    const SERVICE_LDAP_URL = 'ldaps://one.example.org ldaps://two.example.org:1636,ldaps://three.example.org';
    expect(ldapOf({ SERVICE_LDAP_URL }).urls).toEqual([
      'ldaps://one.example.org',
      'ldaps://two.example.org:1636',
      'ldaps://three.example.org',
    ]);
  });

  it('maps a directory group to one group or to several', () => {
    const SERVICE_LDAP_GROUP_MAP = '{"developers": "lab", "cn=ops,dc=example": ["web", "production"]}';
    const SERVICE_LDAP_ADMIN_GROUPS = '["admins"]';
    expect(ldapOf({ SERVICE_LDAP_GROUP_MAP, SERVICE_LDAP_ADMIN_GROUPS })).toMatchObject({
      group_map: { developers: ['lab'], 'cn=ops,dc=example': ['web', 'production'] },
      admin_groups: ['admins'],
    });
  });

  it.each([
    ['SERVICE_LDAP_ENABLED', 'perhaps'],
    ['SERVICE_LDAP_URL', 'http://directory.example.org'],
    ['SERVICE_LDAP_URL', 'directory.example.org:389'],
    ['SERVICE_LDAP_URL', 'ldap://'],
    ['SERVICE_LDAP_URL', ' '],
    ['SERVICE_LDAP_URL', 'ldaps://one.example.org ldap://two.example.org'],
    ['SERVICE_LDAP_URL', 'ldap://directory.example.org/dc=example'],
    ['SERVICE_LDAP_URL', 'ldap://cn=gateway:secret@directory.example.org'],
    ['SERVICE_LDAP_STARTTLS', 'maybe'],
    ['SERVICE_LDAP_USER_FILTER', '(uid=alice)'],
    ['SERVICE_LDAP_USER_FILTER', '(uid={username}'],
    ['SERVICE_LDAP_USER_FILTER', '(&(uid={username})(objectClass=person)'],
    ['SERVICE_LDAP_USER_FILTER', '(uid={username}))'],
    ['SERVICE_LDAP_USER_FILTER', 'uid={username}'],
    ['SERVICE_LDAP_USER_FILTER', '(uid={username})(objectClass=*)'],
    ['SERVICE_LDAP_USER_FILTER', '(&(uid={username})(objectClass))'],
    ['SERVICE_LDAP_GROUP_FILTER', '(member=cn=alice)'],
    ['SERVICE_LDAP_GROUP_FILTER', '(|(member={dn})'],
    ['SERVICE_LDAP_GROUP_MAP', 'developers=lab'],
    ['SERVICE_LDAP_GROUP_MAP', '["developers"]'],
    ['SERVICE_LDAP_GROUP_MAP', '{"developers": 5}'],
    ['SERVICE_LDAP_GROUP_MAP', '{"developers": ""}'],
    ['SERVICE_LDAP_GROUP_MAP', `{"developers": ["lab", "${'x'.repeat(101)}"]}`],
    ['SERVICE_LDAP_GROUP_MAP', '{"": "lab"}'],
    ['SERVICE_LDAP_ADMIN_GROUPS', 'admins'],
    ['SERVICE_LDAP_ADMIN_GROUPS', '{"admins": true}'],
    ['SERVICE_LDAP_ADMIN_GROUPS', '[""]'],
  ])('refuses %s=%s by name', (name, value) => {
    expect(() => ldapOf({ [name]: value })).toThrow(ConfigError);
    expect(() => ldapOf({ [name]: value })).toThrow(name);
  });

  it.each([
    '(sAMAccountName={username})',
    '(&(objectClass=inetOrgPerson)(|(uid={username})(mail={username})))',
    '(&(uid={username})(!(title=\\28none\\29)))',
  ])('accepts the filter %s', (SERVICE_LDAP_USER_FILTER) => {
    expect(ldapOf({ SERVICE_LDAP_USER_FILTER }).user_filter).toBe(SERVICE_LDAP_USER_FILTER);
  });

  it.each(['SERVICE_LDAP_URL', 'SERVICE_LDAP_USER_BASE'] as const)('requires %s when enabled', (name) => {
    const { [name]: _, ...rest } = MINIMAL;
    expect(() => parseConfig(rest)).toThrow(new ConfigError(`${name}: must be set when LDAP is enabled`));
  });

  it('requires a password for the service account, since an empty one binds anonymously', () => {
    expect(() => ldapOf({ SERVICE_LDAP_BIND_DN: 'cn=gateway,dc=example' })).toThrow(
      'SERVICE_LDAP_BIND_PASSWORD',
    );
  });

  it('refuses STARTTLS on ldaps://', () => {
    const changes = { SERVICE_LDAP_URL: 'ldaps://directory.example.org', SERVICE_LDAP_STARTTLS: 'true' };
    expect(() => ldapOf(changes)).toThrow('SERVICE_LDAP_STARTTLS');
  });

  it('is printed without the password', () => {
    const text = describeConfig({
      ...MINIMAL,
      SERVICE_LDAP_BIND_DN: 'cn=gateway,dc=example',
      SERVICE_LDAP_BIND_PASSWORD: 'open sesame',
      SERVICE_LDAP_GROUP_MAP: '{"developers":"lab"}',
    });
    expect(text).not.toContain('sesame');
    expect(text).toContain('SERVICE_LDAP_BIND_PASSWORD=********  # environment');
    expect(text).toContain('SERVICE_LDAP_GROUP_MAP={"developers":["lab"]}  # environment');
    expect(text).toContain('SERVICE_LDAP_ADMIN_GROUPS=[]  # default');
  });
});

describe('A warning about plaintext passwords', () => {
  it.each([
    ['ldap://directory.example.org', false],
    ['ldap://192.0.2.1:389', false],
    ['ldap://[2001:db8::1]', false],
    ['ldap://localhost.example.org', false],
  ])('appears for %s', (url, starttls) => {
    expect(ldapWarning({ urls: [url], starttls })).toContain('SERVICE_LDAP_URL');
  });

  it.each([
    ['ldaps://directory.example.org', false],
    ['ldap://directory.example.org', true],
    ['ldap://localhost:389', false],
    ['ldap://127.0.0.1', false],
    ['ldap://[::1]:1389', false],
  ])('does not appear for %s (STARTTLS %s)', (url, starttls) => {
    expect(ldapWarning({ urls: [url], starttls })).toBeUndefined();
  });
});
