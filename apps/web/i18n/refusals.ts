import type { Language } from './languages.ts';

export interface RefusalText {
  readonly text: string;
  /** What only the gateway's own words name: an address, a path, a fingerprint. */
  readonly specifics?: string | undefined;
}

/** By the gateway's `code`. English has none: the gateway's own words are English. Nor have codes whose words say which. */
const REFUSALS: Partial<Record<Language, Readonly<Record<string, string>>>> = {
  es: {
    account_locked: 'Demasiados intentos fallidos: esta cuenta está bloqueada por un rato',
    admin_only: 'Solo para administradores',
    already_exists: 'Ya hay algo con este nombre',
    api_key_not_found: 'No se encuentra la clave de API',
    config_locked: 'Los ajustes están bloqueados (SERVICE_CONFIG_LOCKED)',
    backup_busy: 'Ya se está haciendo o restaurando otra copia',
    backup_overtaken: 'Lo que hay aquí se ha cambiado entretanto',
    backup_passphrase: 'La frase de contraseña no es correcta, o el archivo se ha cambiado',
    backup_too_large: 'La copia es demasiado grande',
    backup_too_new: 'La copia se hizo con una versión más nueva',
    backup_unreadable: 'Esto no es una copia de esta pasarela, o está dañada',
    connect_timeout: 'La conexión con el host ha tardado demasiado',
    credential_unreadable: 'Una credencial guardada no se puede descifrar',
    credentials_required:
      'El usuario y la contraseña de este servidor, o de un host de salto, se escriben al conectar',
    database_full: 'El disco de la base de datos está lleno',
    delivery_not_found: 'No se encuentra la entrega',
    demo_mode: 'Modo de demostración: no se puede cambiar nada',
    directory_account: 'El directorio guarda la contraseña de esta cuenta',
    file_busy: 'Otra persona está guardando este archivo en este momento',
    file_changed: 'El archivo de su equipo se ha cambiado o movido entretanto',
    file_not_found: 'No existe tal archivo o directorio',
    file_too_large: 'El archivo es demasiado grande para mostrarlo como texto (8 MiB)',
    host_auth_failed: 'El host ha rechazado las credenciales',
    host_busy: 'Hay demasiadas conexiones a este host a la vez',
    host_disconnected: 'Se ha perdido la conexión con el host',
    host_key_changed: 'La clave del host no es la que se fijó',
    host_unreachable: 'No se puede llegar al host',
    idle_timeout: 'No ha pasado nada durante demasiado tiempo',
    image_not_found: 'No hay tal imagen',
    image_unreadable: 'No es una imagen que se pueda leer (PNG, JPEG, WebP o GIF), o tiene demasiado detalle',
    instance_unreachable: 'La instancia que tiene la terminal no responde',
    internal: 'Error interno de la pasarela',
    into_itself: 'Un directorio no se puede meter dentro de sí mismo',
    invalid_2fa_code: 'El código no es correcto',
    invalid_api_key: 'La clave de API no vale',
    invalid_credentials: 'El usuario o la contraseña no son correctos',
    invalid_mode: 'Un modo son tres o cuatro cifras octales',
    invalid_name: 'Un nombre de archivo no puede estar vacío, ser «.» o «..», ni contener «/» o NUL',
    invalid_path: 'La ruta debe ser absoluta',
    invalid_query: 'La consulta no es texto UTF-8',
    invalid_token: 'La sesión ya no vale',
    jump_cycle: 'Los hosts de salto forman un círculo',
    jump_host_unknown: 'El host de salto no existe',
    jump_too_deep: 'Hay más de 8 hosts de salto seguidos',
    last_admin: 'El último administrador activo tiene que seguir siéndolo',
    name_too_long: 'El host no admite un nombre tan largo',
    network: 'No se puede llegar a la pasarela',
    no_event_stream: 'Los eventos de la pasarela no llegan',
    not_a_directory: 'No es un directorio',
    not_a_file: 'No es un archivo normal',
    not_authenticated: 'Hay que iniciar sesión',
    not_session_owner: 'Solo quien abrió la sesión puede compartirla',
    not_text: 'El archivo no es texto UTF-8',
    operation_timeout: 'El host no ha respondido a tiempo',
    other_file: 'No es el mismo archivo con el que empezó la subida',
    overloaded: 'Demasiados inicios de sesión a la vez',
    password_change_required: 'Antes hay que cambiar la contraseña',
    own_account: 'Es tu propia cuenta: hazlo desde la página de tu cuenta',
    path_outside_allowed: 'La ruta está fuera de los directorios permitidos',
    pending_2fa: 'Falta el segundo paso del inicio de sesión',
    permission_denied: 'El servidor deniega el permiso',
    protected_account: 'El administrador predeterminado no se puede eliminar ni degradar',
    quick_connect_disabled: 'La conexión rápida está desactivada',
    quick_host_key_not_found: 'No hay ninguna clave fijada así',
    rate_limited: 'Demasiadas peticiones',
    recording_failed: 'La grabación no se puede escribir',
    recording_file_missing: 'El archivo de esta grabación no está',
    recording_in_progress: 'Todavía se está grabando',
    recording_not_found: 'No se encuentra la grabación',
    remote_disk_full: 'El disco del host está lleno',
    scope_missing: 'A la clave de API le falta el permiso para esto',
    server_not_found: 'No se encuentra el servidor',
    session_not_found: 'No se encuentra la sesión',
    session_required: 'Esto requiere una sesión, no una clave de API',
    sftp_disabled: 'SFTP está desactivado en este servidor',
    sftp_read_only: 'Este servidor es de solo lectura',
    sftp_unavailable: 'El host no ofrece SFTP',
    share_ended: 'El dueño ha dejado de compartir esta terminal',
    share_not_found: 'Este enlace ya no lleva a ninguna terminal compartida',
    shell_refused: 'El host no ha querido abrir un intérprete',
    shutting_down: 'La pasarela se está apagando',
    snippet_not_found: 'No se encuentra el fragmento',
    ssh_disabled: 'SSH está desactivado en este servidor',
    ssh_protocol: 'El host no habla SSH como se espera',
    stale_etag: 'El archivo ha cambiado entretanto',
    target_not_allowed: 'Esta dirección no está entre las que permite la conexión rápida',
    terminal_taken_over: 'La terminal continúa en otro lugar',
    too_many_downloads: 'Demasiadas descargas a la vez',
    too_many_imports: 'Demasiados nombres en este archivo para tantos servidores: importe por partes',
    too_many_keys: 'No puede haber más de 100 claves de API por usuario',
    terminal_full: 'No caben más de 50 personas en una terminal',
    too_many_sessions: 'Este usuario tiene demasiadas terminales',
    too_many_texts: 'Demasiadas grabaciones se están convirtiendo en texto',
    too_many_snippets: 'No puede haber más de 1000 fragmentos por usuario',
    too_many_streams: 'Demasiadas ventanas de este usuario reciben eventos a la vez',
    too_many_uploads: 'Demasiadas subidas sin terminar de un usuario',
    too_many_webhooks: 'No puede haber más de 100 webhooks',
    totp_already_enabled: 'El segundo factor ya está activado',
    totp_not_set_up: 'El segundo factor no está configurado',
    transfer_ended: 'La transferencia se ha interrumpido',
    unaddressable_name: 'Este nombre no es UTF-8 válido y no se puede usar',
    user_not_found: 'No se encuentra el usuario',
    username_taken: 'Este nombre de usuario ya existe',
    webhook_not_found: 'No se encuentra el webhook',
    webhook_url_refused: 'Esta dirección no vale: un webhook va a https y a ninguna dirección privada',
    wrong_password: 'La contraseña actual no es correcta',
  },
};

/** Of what was typed, by the gateway's own words: a `validation` has no code for each rule. */
const COMPLAINTS: Partial<Record<Language, Readonly<Record<string, string>>>> = {
  es: {
    'Password must have at least 8 characters': 'La contraseña debe tener al menos 8 caracteres',
    'Password must have at most 256 characters': 'La contraseña debe tener como mucho 256 caracteres',
    'Password must not be the user name': 'La contraseña no puede ser el nombre de usuario',
    'Password is too common': 'La contraseña es demasiado común',
    'Password must differ from the present one': 'La contraseña tiene que ser distinta de la actual',
    'Must contain printable characters only': 'Solo puede tener caracteres visibles',
    'Must not contain control characters': 'No puede tener caracteres de control',
    'Must not start or end with a space': 'No puede empezar ni terminar con un espacio',
    'Must be a colour such as #1a2b3c': 'Tiene que ser un color como #1a2b3c',
    'Must be one line of printable characters': 'Tiene que ser una línea de caracteres visibles',
    'Must not be an image of more than 2 MiB': 'No puede ser una imagen de más de 2 MiB',
  },
};

/** Fingerprints, absolute paths, and addresses with a port. */
const SPECIFIC = /SHA256:[A-Za-z0-9+/]{43}|(?<![\w.])\/[^\s,;)]+|\[[\da-f:]+\]:\d+|[\w.-]+:\d+/gi;

export function refusalText(language: Language, code: string, detail: string): RefusalText {
  const texts = REFUSALS[language];
  const text = texts && Object.hasOwn(texts, code) ? texts[code] : undefined;
  if (text === undefined) return { text: complaintText(language, detail) };
  const specifics = [...new Set(detail.match(SPECIFIC))].join(' · ');
  return { text, specifics: specifics || undefined };
}

/** What is wrong with one field; in the gateway's words where there are no others. */
export function complaintText(language: Language, message: string): string {
  const texts = COMPLAINTS[language];
  return texts && Object.hasOwn(texts, message) ? (texts[message] ?? message) : message;
}
