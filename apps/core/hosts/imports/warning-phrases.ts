import { readTemplate } from '../../lib/text/template.ts';
import type { Phrase, ToldWarnings } from '../../model/warning.ts';

/** The warnings of imports and restores, by code; the first that fits counts. */
const PHRASES: Readonly<Record<string, string>> = {
  and_more: 'and {count} more',

  // Servers
  names_taken_more: 'There are servers of these names already: {servers} and {count} more',
  names_taken: 'There are servers of these names already: {servers}',
  no_credential_more: 'No credential is stored for: {servers} and {count} more',
  no_credential: 'No credential is stored for: {servers}',
  keys_stay:
    'Host keys do not travel with an export: the first contact with each server pins what it presents',
  jump_nameless: '{server}: its jump host has no name and is not in the file; added without a jump host',
  jump_ambiguous: '{server}: there are several servers named {hop}; added without a jump host',
  jump_missing: '{server}: there is no server named {hop}; added without a jump host',

  // An OpenSSH configuration
  config_include: 'Line {line}: Include is not followed, what it names is left out.',
  config_match: 'Line {line}: this Match section is left out, conditions are not evaluated.',
  config_host: 'Line {line}: this Host cannot be read, its section is left out.',
  config_again: 'Line {line}: Host {host} has a section already (line {first}), whose settings count.',
  config_unmatched: 'Line {line}: nothing is imported for Host {host}, which no name in the text matches.',
  config_long: 'Line {line}: names and patterns of more than 255 characters are left out.',
  config_left_out: 'Host {host} is left out: {problem} (line {line}).',
  config_loop: 'Host {host} is left out, because it jumps through itself (line {line}).',
  config_no_user: '{server}: no User is given, so {username} is used',
  config_identity: '{server}: its IdentityFile is not read; store the private key to sign in with it',
  config_hop: '{server} was added, since ProxyJump of {wanted_by} names it',

  // A known_hosts file
  known_authority: 'Line {line} is left out: certificate authorities are not supported.',
  known_marker: 'Line {line} is left out: the marker {marker} is not known.',
  known_bad_revoked: 'Line {line} is left out: the revoked key of type {type} is not readable.',
  known_revoked: 'Line {line} revokes a key: hosts that present it are refused.',
  known_revoked_elsewhere: 'Line {line} is left out: another line revokes its key.',
  known_type: 'Line {line} is left out: keys of this type are not supported ({type}).',
  known_unreadable: 'Line {line} is left out: the key is not readable ({type}).',
  known_other_type: 'Line {line} is left out: the key is of another type than the line says ({type}).',
  known_long: 'Line {line} is left out: a pattern is too long.',
  known_hashed: 'Line {line} is left out: the hashed name is not readable.',
  pin_too_many: '{server}: the file has more than {count} keys for it',
  pin_other: '{server}: another key is pinned than the file has; clear it first if the file is right',
  pin_revoked: '{server}: one of its accepted keys is now revoked; connections that present it are refused',

  // A backup
  secret_of_user: 'User {user}: its {secret} could not be read and is not in the bundle',
  secret_of_server: 'Server {server}: its {secret} could not be read and is not in the bundle',
  secret_of_webhook: 'Webhook {webhook}: its {secret} could not be read and is not in the bundle',
  share_snippets: '{count} snippets of {user} are not in the bundle: more than one user’s share',
  share_pins: '{count} pinned host keys of {user} are not in the bundle: more than one user’s share',
  pack_audit: 'The audit log was not whole when it was exported ({problem})',
  pack_cut: 'Audit chain {number}: retention removed its beginning, so it is not in the bundle',
  pack_signature: 'Audit chain {number}: its signature does not fit, it is not in the bundle',
  merge_keys: '{count} API keys of {user} were left out: they do not exist here and may have been revoked',
  merge_pins:
    '{count} pinned host keys of {user} were left out: the account {owner} here may belong to somebody else',
  merge_snippets:
    '{count} snippets of {user} were left out: the account {owner} here may belong to somebody else',
  restore_own_rank: '{user}: your own account stays an enabled administrator',
  restore_rank:
    '{user}: restored as an administrator, because this gateway has another default administrator',
  restore_way_in: '{user}: the default administrator keeps its current sign-in',
  restore_own_stays: '{user}: your own account is not in the bundle and stays',
  restore_default_stays: '{user}: the default administrator is not in the bundle and stays',
  restore_no_factor: '{user}: the bundle has no secret for the second factor; recovery codes still work',
  restore_entry: '{user}: its directory entry belongs to {owner} here',
  restore_credentials: '{server}: some of its credentials are not in the bundle; enter them again',
  restore_setting: 'This version does not have the setting {setting}',
  restore_settings_locked: 'The settings are locked (SERVICE_CONFIG_LOCKED) and were not changed',
  restore_branding_locked: 'Branding is locked (SERVICE_CONFIG_LOCKED) and was not changed',
  restore_audit_key:
    'The existing audit log is signed with another key; the audit log of the bundle was left out',
  restore_chain: 'Audit chain {number} does not match its own hashes and was left out',
  restore_checkpoints: 'Audit chain {number} does not match the checkpoints of later chains and was left out',
  restore_webhook_off: '{webhook}: restored disabled. {objection}',
  restore_webhook_secret: '{webhook}: its secret is not in the bundle; deliveries will not be signed',
  restore_late:
    'Restored, but not everything running here was updated at once; it updates itself within seconds',
};

/** Warnings with what each says, for translations. */
export function withPhrases(warnings: readonly string[]): ToldWarnings {
  return { warnings: [...warnings], warning_phrases: warnings.map(phraseOf) };
}

function phraseOf(warning: string): Phrase | null {
  for (const [code, template] of Object.entries(PHRASES)) {
    const values = readTemplate(template, warning);
    if (values) return { code, values };
  }
  return null;
}

/** All codes, for the catalogues. */
export const WARNING_CODES: readonly string[] = Object.keys(PHRASES);
