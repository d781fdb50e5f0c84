import { formatMoment } from '../lib/format.ts';
import { refusalText } from './refusals.ts';

/** A sentence of the gateway: its code, and what it names. */
export interface Phrase {
  readonly code: string;
  readonly values: Readonly<Record<string, string>>;
}

const RECORDING = '#{id} de {username} en {server}, iniciada el {started_at}';

/** Sentences by language and the gateway's `code`. English needs none. */
const PHRASES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  es: {
    // Stages of a connection test
    accepted: 'El usuario {username} ha entrado con {method}',
    accepted_without: 'El usuario {username} ha entrado sin credenciales',
    connected: 'Conectado con {address}',
    forwarded: 'Reenviado por {server}',
    identified: '{software}',
    key_not_verified: '{fingerprint} (sin verificar)',
    key_verified: '{fingerprint}',
    not_tried: 'No se ha probado: el usuario y la contraseña se introducen al conectar',
    passed: 'Superada',
    resolved: '{addresses}',
    resolved_by: 'Resuelto por {server}',
    sftp_available: 'SFTP disponible',

    // Details of audit entries
    account_disabled: 'la cuenta está desactivada',
    account_locked: 'la cuenta está bloqueada',
    all_of: 'todas las sesiones de {user}: {count}',
    all_other_own: 'todas las demás sesiones propias: {count}',
    all_own: 'todas las sesiones propias: {count}',
    belongings: '{user}; con ella: claves de API: {keys}, fragmentos: {snippets}',
    by_directory: '{user}, por el directorio',
    cannot_record: '{server}: sesión rechazada porque no se puede grabar',
    cast_closed: '{file}: sha256 {sha256}, {bytes} bytes, {server}',
    cast_interrupted: '{file}: sha256 {sha256}, {bytes} bytes, {server}, interrumpida, de {username}',
    cast_lost: '{file}: sin archivo, {server}, interrumpida, de {username}',
    cast_missing: '{file}: sin archivo, {server}',
    chmod_all: '{server}: {path} a {mode}, con todo su contenido',
    closed: '{terminal}, después de {seconds} s',
    closed_because: '{terminal}, después de {seconds} s ({reason})',
    connected_as: '{server} como {username}',
    connected_at: '{server} como {username} en {hop}',
    copied: '{from} a {to}',
    current_password: 'contraseña actual',
    directory_refused: 'rechazado por el directorio',
    directory_silent: 'no se puede preguntar al directorio',
    disk_full: '{file}: disco lleno',
    disk_full_goes_on: '{file}: disco lleno; la sesión continúa',
    embed: '{kind} ({mode}) de {server}',
    embed_expired: '{kind} ({mode}) de {server}: ha caducado',
    embed_started: '{kind} ({mode}) de {server}, mediante {by}, hasta el {until_at} como máximo',
    empty_password: 'contraseña vacía',
    exported_by: '{format}, filtrado por {fields}',
    fields_by_directory: '{user}, por el directorio: {fields}',
    from_to: '{server}: {from} a {to}',
    impossible_name: 'nombre imposible',
    instance_ended: '{terminal} (la instancia se detuvo)',
    key_announced: '{server}: fijada {fingerprint}; el host anuncia también: {others}',
    key_first: '{server}: {fingerprint}; antes no había ninguna',
    key_for_user: '{server}: {fingerprint}, para el usuario n.º {user}',
    key_instead: '{server}: {fingerprint}, en lugar de {before}',
    key_rotated: '{server}: fijada {fingerprint}, en lugar de {before}; el host anuncia también: {others}',
    limit_goes_on: '{file}: límite de tamaño alcanzado; la sesión continúa',
    limit_reached: '{file}: límite de tamaño alcanzado',
    name_taken: 'el directorio lo acepta, pero otra cuenta tiene ese nombre',
    name_taken_here: 'el directorio lo acepta, pero una cuenta local tiene ese nombre',
    none_pinned: '{server}: no había ninguna fijada',
    nothing: 'nada',
    on_command_line: '{content}, en la línea de órdenes',
    own: 'una sesión propia: {device}',
    parts_left: '{server}; archivos parciales que quedan en el host: {count} ({obstacle})',
    parts_removed: '{server}: eliminados {paths}',
    parts_to_remove: '{server}; archivos parciales por eliminar: {count}',
    plain: '{text}',
    provider_at: '{provider} en {address}',
    recording: RECORDING,
    recording_as_text: `${RECORDING}: leída como texto`,
    recording_downloaded: `${RECORDING}: descargada`,
    recording_later: `${RECORDING}: su instancia eliminará el archivo cuando vuelva a funcionar`,
    recording_played: `${RECORDING}: reproducida`,
    recording_read: `${RECORDING}: leída`,
    recovered: 'entradas: {entries}, líneas rechazadas: {refused}',
    replayed: '{webhook}: entrega n.º {delivery}',
    resealed: 'secretos: {secrets}, cadenas de auditoría: {chains}',
    second_factor: '{source}, con segundo factor',
    server_nothing: '{server}: nada',
    server_pin_dropped: '{server}: {fields}; se ha descartado la clave de host fijada',
    servers: '{count} servidores',
    share_expired: '{terminal}: ha caducado',
    shared_until: '{terminal}: {mode}, hasta el {until_at}',
    source: '{source}',
    started: 'versión {version}, instancia {instance}',
    stepped_up: 'con segundo factor',
    totp_code: 'código de segundo factor',
    trimmed: 'hasta el {until_at}; en total: {entries}',
    unwritable: '{file}: no se puede escribir el archivo',
    unwritable_goes_on: '{file}: no se puede escribir el archivo; la sesión continúa',
    webhook_nothing: '{webhook}: nada',
    webhook_to: '{webhook} a {address}',
    wrong_code: 'código de segundo factor incorrecto',
    wrong_password: 'contraseña incorrecta',
  },
};

/** Words of the gateway that stand in such sentences, by the name of the value. */
const WORDS: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>> = {
  es: {
    by: { 'an API key': 'una clave de API', 'a session': 'una sesión' },
    content: { nothing: 'nada' },
    kind: { terminal: 'terminal', files: 'archivos' },
    method: { password: 'contraseña', key: 'clave privada', prompt: 'contraseña' },
    mode: { rw: 'lectura y escritura', ro: 'solo lectura' },
    others: { none: 'ninguna' },
    source: { local: 'cuenta local', ldap: 'LDAP', oidc: 'OIDC' },
  },
};

/** The sentence in this language; undefined if there is no translation, as in English. */
export function phraseText(language: string, { code, values }: Phrase): string | undefined {
  const texts = PHRASES[language];
  const text = texts && Object.hasOwn(texts, code) ? texts[code] : undefined;
  return text?.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    return value === undefined ? whole : valueText(language, name, value);
  });
}

function valueText(language: string, name: string, value: string): string {
  if (name.endsWith('_at') && !Number.isNaN(Date.parse(value))) return formatMoment(value, language);
  if (name === 'reason') return refusalText(language, value, value).text;
  const words = WORDS[language]?.[name];
  return words && Object.hasOwn(words, value) ? (words[value] ?? value) : value;
}
