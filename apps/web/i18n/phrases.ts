import { formatMoment } from '../lib/format.ts';
import { complaintText, refusalText } from './refusals.ts';

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
    copy_stopped: '{from} a {to}; no terminada ({reason})',
    extract_stopped: '{from} a {to}; interrumpido tras estos archivos: {files} ({reason})',
    current_password: 'contraseña actual',
    directory_refused: 'rechazado por el directorio',
    directory_silent: 'no se puede preguntar al directorio',
    directory_expired: 'el directorio exige antes una contraseña nueva',
    sign_in_refused: 'se rechazó el inicio de sesión',
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
    recording_too_old: `${RECORDING}: más antigua que {days} días`,
    recording_beyond: `${RECORDING}: por encima de {bytes} bytes en total`,
    recording_later: `${RECORDING}: su instancia eliminará el archivo cuando vuelva a funcionar`,
    recording_played: `${RECORDING}: reproducida`,
    recording_read: `${RECORDING}: leída`,
    recovered: 'entradas: {entries}, líneas rechazadas: {refused}',
    replayed: '{webhook}: entrega n.º {delivery}',
    resealed: 'secretos: {secrets}, cadenas de auditoría: {chains}',
    restored_from: '{server}: {path}: restaurado a partir de {from}',
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

    // Warnings of imports and restores
    and_more: 'y {count} más',
    config_again: 'Línea {line}: Host {host} ya tiene una sección (línea {first}), cuyos ajustes valen.',
    config_hop: '{server} se ha añadido porque lo nombra ProxyJump de {wanted_by}',
    config_host: 'Línea {line}: este Host no se puede leer; se omite su sección.',
    config_identity:
      '{server}: no se lee su IdentityFile; guarde la clave privada para iniciar sesión con ella',
    config_include: 'Línea {line}: no se sigue Include; se omite lo que nombra.',
    config_left_out: 'Host {host} se omite: {problem} (línea {line}).',
    config_loop: 'Host {host} se omite, porque salta a través de sí mismo (línea {line}).',
    config_long: 'Línea {line}: se omiten los nombres y patrones de más de 255 caracteres.',
    config_match: 'Línea {line}: se omite esta sección Match; las condiciones no se evalúan.',
    config_unmatched:
      'Línea {line}: no se importa nada para Host {host}; ningún nombre del texto coincide con él.',
    config_no_user: '{server}: no indica ningún User; se usa {username}',
    jump_ambiguous: '{server}: hay varios servidores con el nombre {hop}; se ha añadido sin host de salto',
    jump_missing: '{server}: no hay ningún servidor con el nombre {hop}; se ha añadido sin host de salto',
    jump_nameless:
      '{server}: su host de salto no tiene nombre y no está en el archivo; se ha añadido sin host de salto',
    keys_stay:
      'Una exportación no lleva claves de host: la primera conexión con cada servidor fija la que presenta',
    known_authority: 'Línea {line} omitida: no se admiten autoridades de certificación.',
    known_bad_revoked: 'Línea {line} omitida: no se puede leer la clave revocada de tipo {type}.',
    known_hashed: 'Línea {line} omitida: no se puede leer el nombre cifrado.',
    known_long: 'Línea {line} omitida: un patrón es demasiado largo.',
    known_marker: 'Línea {line} omitida: se desconoce la marca {marker}.',
    known_other_type: 'Línea {line} omitida: la clave no es del tipo que dice la línea ({type}).',
    known_revoked: 'La línea {line} revoca una clave: se rechazan los hosts que la presenten.',
    known_revoked_elsewhere: 'Línea {line} omitida: otra línea revoca su clave.',
    known_type: 'Línea {line} omitida: no se admiten claves de este tipo ({type}).',
    known_unreadable: 'Línea {line} omitida: no se puede leer la clave ({type}).',
    merge_keys: 'Claves de API de {user} omitidas: {count}. No existen aquí y pueden haber sido revocadas',
    merge_pins:
      'Claves de host fijadas de {user} omitidas: {count}. La cuenta {owner} de aquí puede ser de otra persona',
    merge_snippets:
      'Fragmentos de {user} omitidos: {count}. La cuenta {owner} de aquí puede ser de otra persona',
    names_taken: 'Ya hay servidores con estos nombres: {servers}',
    names_taken_more: 'Ya hay servidores con estos nombres: {servers} y {count} más',
    no_credential: 'No hay credencial guardada para: {servers}',
    no_credential_more: 'No hay credencial guardada para: {servers} y {count} más',
    pack_audit: 'El registro de auditoría no estaba íntegro al exportarlo ({problem})',
    pack_cut: 'Cadena de auditoría {number}: la retención eliminó su comienzo, así que no está en la copia',
    pack_signature: 'Cadena de auditoría {number}: su firma no concuerda y no está en la copia',
    pin_other:
      '{server}: hay fijada otra clave distinta de la del archivo; olvídela antes si el archivo es correcto',
    pin_revoked:
      '{server}: una de sus claves aceptadas está ahora revocada; se rechazan las conexiones que la presentan',
    pin_too_many: '{server}: el archivo tiene más de {count} claves para él',
    restore_audit_key:
      'El registro de auditoría actual está firmado con otra clave; se ha omitido el de la copia',
    restore_branding_locked: 'La imagen de marca está bloqueada (SERVICE_CONFIG_LOCKED) y no se ha cambiado',
    restore_chain: 'La cadena de auditoría {number} no concuerda con sus propios resúmenes y se ha omitido',
    restore_checkpoints:
      'La cadena de auditoría {number} no concuerda con los puntos de control de cadenas posteriores y se ha omitido',
    restore_credentials: '{server}: faltan credenciales en la copia; introdúzcalas de nuevo',
    restore_default_stays: '{user}: el administrador predeterminado no está en la copia y se conserva',
    restore_entry: '{user}: su entrada del directorio pertenece aquí a {owner}',
    restore_late:
      'Restaurado, pero no todo lo que está en marcha se ha actualizado a la vez; se actualiza solo en unos segundos',
    restore_no_factor:
      '{user}: la copia no tiene el secreto del segundo factor; los códigos de recuperación siguen valiendo',
    restore_own_rank: '{user}: su propia cuenta sigue siendo un administrador activo',
    restore_own_stays: '{user}: su propia cuenta no está en la copia y se conserva',
    restore_rank:
      '{user}: restaurado como administrador, porque esta pasarela tiene otro administrador predeterminado',
    restore_setting: 'Esta versión no tiene el ajuste {setting}',
    restore_settings_locked: 'Los ajustes están bloqueados (SERVICE_CONFIG_LOCKED) y no se han cambiado',
    restore_way_in: '{user}: el administrador predeterminado conserva su forma de iniciar sesión',
    restore_webhook_off: '{webhook}: restaurado pero desactivado. {objection}',
    restore_webhook_secret: '{webhook}: su secreto no está en la copia; las entregas no se firmarán',
    secret_of_server: 'Servidor {server}: no se ha podido leer {secret} y no está en la copia',
    secret_of_user: 'Usuario {user}: no se ha podido leer {secret} y no está en la copia',
    secret_of_webhook: 'Webhook {webhook}: no se ha podido leer {secret} y no está en la copia',
    share_pins:
      'Claves de host fijadas de {user} que no están en la copia: {count}, más de lo que corresponde a un usuario',
    share_snippets:
      'Fragmentos de {user} que no están en la copia: {count}, más de lo que corresponde a un usuario',
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
    problem: {
      'HostName must be one name, with no tokens but %h and %%, without characters that cannot be seen':
        'HostName debe ser un solo nombre, sin más comodines que %h y %%, y sin caracteres que no se ven',
      'Port must be a number from 1 to 65535': 'Port debe ser un número de 1 a 65535',
      'ProxyJump must be [user@]host[:port] or a list, without tokens or characters that cannot be seen':
        'ProxyJump debe ser [usuario@]host[:puerto] o una lista, sin comodines ni caracteres que no se ven',
      'User must be one name, without characters that cannot be seen':
        'User debe ser un solo nombre, sin caracteres que no se ven',
    },
    secret: {
      passphrase: 'la frase de contraseña',
      password: 'la contraseña',
      'previous secret': 'el secreto anterior',
      'private key': 'la clave privada',
      secret: 'el secreto',
      'totp secret': 'el secreto del segundo factor',
    },
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
  if (name === 'objection') return complaintText(language, value);
  const words = WORDS[language]?.[name];
  return words && Object.hasOwn(words, value) ? (words[value] ?? value) : value;
}
