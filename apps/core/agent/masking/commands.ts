import { MASK, type Rule } from './rules.ts';
import { KEYWORDS } from './values.ts';

const VALUE = `(?!-)(?:"[^"\\n]{0,1000}"?|'[^'\\n]{0,1000}'?|\\S{1,1000})`;

/** The value behind an option of these programs, also in one word with it (`-psecret`) and after `=`. */
function optionOf(programs: string, option: string): Rule {
  const head = `\\b(?:${programs})\\b[^\\n]{0,300}?[ \\t]${option}(?:[ \\t]{1,10}|=)?`;
  return [new RegExp(`(${head})${VALUE}`, 'g'), `$1${MASK}`];
}

const LDAP = 'ldap(?:search|modify|add|delete|modrdn|passwd|whoami|compare|exop|vi)';
const REGISTRIES =
  '(?:docker|podman|buildah|nerdctl|skopeo|oras|crane|helm|regctl|az|oc)[ \\t]{1,10}(?:\\w{1,20}[ \\t]{1,10})?login';

/** Arguments of commands, as processes, histories and scripts show them. */
export const COMMAND_RULES: readonly Rule[] = [
  [
    /(\s--?[\w-]{0,30}(?:password|passwd|passphrase|pass|token|secret|api-?key)[ \t]{1,10})(?!-)("[^"\n]{0,1000}"?|'[^'\n]{0,1000}'?|\S{1,1000})/gi,
    `$1${MASK}`,
  ],
  [/\b(sshpass[ \t]{1,10}-p[ \t]{0,10})\S{1,1000}/g, `$1${MASK}`],
  [/\b((?:mysql|mariadb)\w{0,12}\b[^\n]{0,300}?[ \t]-p)(?=\S)\S{1,1000}/g, `$1${MASK}`],
  [/([ \t](?:-u|--user|--proxy-user)[ \t]{1,10}["']?[^\s:"']{1,100}:)[^\s"']{1,1000}/g, `$1${MASK}`],
  optionOf(REGISTRIES, '-p'),
  optionOf('(?:redis|valkey|keydb)-(?:cli|benchmark)', '-a'),
  optionOf(LDAP, '-[a-zA-Z]{0,4}w'),
  optionOf('ldappasswd', '-[as]'),
  optionOf('mongo(?:sh|dump|restore|import|export)?', '-p'),
  optionOf('sqlcmd|bcp|ipmitool|zip|unzip|isql', '-P'),
  optionOf('keytool|jarsigner', '-(?:store|key|srcstore|deststore|new)(?:pass|password)'),
  optionOf('htpasswd', '-[a-zA-Z]{0,4}b[a-zA-Z]{0,4}[ \\t]{1,10}\\S{1,200}[ \\t]{1,10}\\S{1,200}'),
  optionOf('smbclient|rpcclient|net|mount\\.cifs', '-U[ \\t]{0,10}["\']?[^\\s%"\']{1,100}%'),
  optionOf('xfreerdp3?|wlfreerdp', '/p:'),
  [/(\bpass:)(?!word)[^\s"']{1,1000}/g, `$1${MASK}`], // of openssl
  // Settings whose name and value are arguments: `aws configure set`, `npm config set`, `git config`.
  [
    new RegExp(
      `(\\b(?:set|config)[ \\t]{1,10}(?:-[\\w=.-]{1,40}[ \\t]{1,10})?[\\w.:/-]{0,80}?(?:${KEYWORDS})[\\w.-]{0,40}[ \\t]{1,10})${VALUE}`,
      'gi',
    ),
    `$1${MASK}`,
  ],
  // Variables without an equals sign: Dockerfile, Apache, nginx, csh.
  [
    new RegExp(
      `^([ \\t]{0,40}(?:ENV|ARG|SetEnv|setenv|(?:fastcgi|uwsgi|scgi)_param)[ \\t]{1,40}[\\w.-]{0,80}?(?:${KEYWORDS})[\\w.-]{0,40}[ \\t]{1,40})[^\\n]+`,
      'gim',
    ),
    `$1${MASK}`,
  ],
];
