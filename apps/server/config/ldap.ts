import { z } from 'zod';
import { line } from '#core/model/fields.ts';
import { ConfigError } from './config-error.ts';
import { filter } from './ldap-filter.ts';
import { flag, isLdapUrl, json, secret, text } from './values.ts';

const GroupName = line(1, 100);
const GroupMap = z.record(
  z.string().min(1),
  z.union([GroupName.transform((group) => [group]), z.array(GroupName)]),
);

/** The variables of the directory. */
export const ldapChecks = {
  SERVICE_LDAP_ENABLED: flag().default(false),
  SERVICE_LDAP_URL: text()
    .transform((urls) => urls.split(/[\s,]+/).filter((url) => url !== ''))
    .refine(
      (urls) => urls.every(isLdapUrl) && isAlike(urls),
      'must be ldap://host or ldaps://host, optionally with a port; several of one kind are separated by spaces',
    )
    .optional(),
  SERVICE_LDAP_STARTTLS: flag().default(false),
  SERVICE_LDAP_CA_FILE: text().optional(),
  SERVICE_LDAP_BIND_DN: text().optional(),
  SERVICE_LDAP_BIND_PASSWORD: secret(text().optional()),
  SERVICE_LDAP_USER_BASE: text().optional(),
  SERVICE_LDAP_USER_FILTER: filter('{username}').default('(uid={username})'),
  SERVICE_LDAP_GROUP_BASE: text().optional(),
  SERVICE_LDAP_GROUP_FILTER: filter('{dn}', '{username}').default('(member={dn})'),
  SERVICE_LDAP_GROUP_MAP: json(
    GroupMap,
    'must be a JSON object that maps each directory group to a group or a list of groups, each of 1 to 100 characters',
  ).default({}),
  SERVICE_LDAP_ADMIN_GROUPS: json(
    z.array(z.string().min(1)),
    'must be a JSON list of directory groups',
  ).default([]),
} as const;

const Variables = z.object(ldapChecks);

export type LdapConfig = NonNullable<ReturnType<typeof ldapConfig>>;

/** Undefined when LDAP is off. */
export function ldapConfig(env: z.infer<typeof Variables>) {
  if (!env.SERVICE_LDAP_ENABLED) return undefined;
  const urls = required('SERVICE_LDAP_URL', env.SERVICE_LDAP_URL);
  const user_base = required('SERVICE_LDAP_USER_BASE', env.SERVICE_LDAP_USER_BASE);
  if (env.SERVICE_LDAP_STARTTLS && urls.some((url) => url.startsWith('ldaps:'))) {
    throw new ConfigError('SERVICE_LDAP_STARTTLS: works only with ldap://; ldaps:// already uses TLS');
  }
  // RFC 4513 §5.1.2: a bind without a password is anonymous.
  if (env.SERVICE_LDAP_BIND_DN !== undefined) {
    required('SERVICE_LDAP_BIND_PASSWORD', env.SERVICE_LDAP_BIND_PASSWORD);
  }
  return {
    /** Asked in this order while one does not answer. */
    urls,
    starttls: env.SERVICE_LDAP_STARTTLS,
    ca_file: env.SERVICE_LDAP_CA_FILE,
    /** Empty: anonymous search. */
    bind_dn: env.SERVICE_LDAP_BIND_DN ?? '',
    bind_password: env.SERVICE_LDAP_BIND_PASSWORD ?? '',
    user_base,
    user_filter: env.SERVICE_LDAP_USER_FILTER,
    /** Undefined: no group search. */
    group_base: env.SERVICE_LDAP_GROUP_BASE,
    group_filter: env.SERVICE_LDAP_GROUP_FILTER,
    group_map: env.SERVICE_LDAP_GROUP_MAP,
    admin_groups: env.SERVICE_LDAP_ADMIN_GROUPS,
  };
}

/** A server without TLS beside others with it would be the way for passwords to leak. */
function isAlike(urls: readonly string[]): boolean {
  return new Set(urls.map((url) => url.split(':')[0])).size === 1;
}

function required<Value>(name: keyof typeof ldapChecks, value: Value | undefined): Value {
  if (value === undefined) throw new ConfigError(`${name}: must be set when LDAP is enabled`);
  return value;
}
