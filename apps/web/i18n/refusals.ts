export interface RefusalText {
  readonly text: string;
  /** Details that only the gateway's own text names: an address, a path, a fingerprint. */
  readonly specifics?: string | undefined;
}

/** Texts by language and the gateway's `code`. English needs none, nor do codes whose text varies with the case. */
const REFUSALS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  es: {
    account_locked: 'Demasiados inicios de sesión fallidos. Esta cuenta está bloqueada temporalmente',
    admin_only: 'Solo para administradores',
    agent_budget: 'Ha agotado sus tokens de hoy',
    agent_busy: 'El agente todavía está respondiendo en este chat',
    agent_disabled_for_server:
      'El agente no está permitido en este servidor: un administrador puede permitirlo',
    agent_ended: 'La respuesta se ha interrumpido',
    agent_failed: 'El proveedor del modelo de lenguaje ha fallado',
    agent_interrupted: 'La pasarela se detuvo mientras respondía; pregunte de nuevo',
    agent_limit: 'La respuesta ha llegado a su límite',
    agent_off: 'El agente está desactivado: un administrador puede elegir un proveedor en Administración',
    agent_turn_not_found: 'No existe esa respuesta',
    already_exists: 'Ya existe un elemento con este nombre',
    api_key_not_found: 'No se encuentra la clave de API',
    config_locked: 'Los ajustes y la imagen de marca están bloqueados (SERVICE_CONFIG_LOCKED)',
    archive_bomb:
      'El archivo ZIP ocuparía más de 200 veces su tamaño, más de 64 MiB y más del 10 % del espacio libre',
    archive_damaged: 'El archivo ZIP está dañado',
    archive_overlap: 'Los elementos del archivo ZIP se solapan, como en una bomba ZIP',
    archive_too_large: 'El archivo ZIP es demasiado grande (100.000 elementos, 64 GiB)',
    archive_unreadable: 'Este archivo no es un archivo ZIP, o está incompleto',
    backup_busy: 'Ya se está creando o restaurando otra copia de seguridad',
    backup_overtaken: 'Esta pasarela ha cambiado desde la vista previa',
    backup_passphrase: 'La frase de contraseña no es correcta, o el archivo se ha modificado',
    backup_too_large: 'La copia de seguridad es demasiado grande',
    backup_too_new: 'La copia de seguridad se hizo con una versión más reciente',
    backup_unreadable: 'Este archivo no es una copia de seguridad de una pasarela, o está dañado',
    connect_timeout: 'Se ha agotado el tiempo de espera al conectar con el host',
    credential_required: 'Hay una credencial guardada: envíela en la misma petición',
    credential_unreadable: 'No se puede descifrar una credencial guardada',
    credentials_required:
      'Las credenciales de este servidor, o de un host de salto, se introducen al conectar',
    database_full: 'El disco de la base de datos está lleno',
    delivery_not_found: 'No se encuentra la entrega',
    demo_mode: 'Modo de demostración: no se puede cambiar nada',
    client_left: 'El cliente canceló la petición o perdió la conexión',
    directory_password_expired:
      'El directorio exige una contraseña nueva para esta cuenta: cámbiela allí y vuelva a iniciar sesión',
    directory_unavailable: 'El directorio no responde; vuelva a intentarlo más tarde',
    directory_account: 'El directorio gestiona la contraseña de esta cuenta',
    embed_only: 'Esto requiere una sesión incrustada',
    embed_over: 'La sesión incrustada ha llegado a su duración máxima: vuelva a cargar la página',
    embed_read_only: 'Esta sesión incrustada es de solo lectura',
    embed_refused: 'Una sesión incrustada no puede hacer esto',
    extract_canceled: 'Cancelado. Los archivos ya extraídos están completos y se quedan en el host.',
    file_busy: 'Otra persona está guardando este archivo en este momento',
    file_changed: 'El archivo de su equipo ha cambiado o se ha movido',
    file_not_found: 'El archivo o directorio no existe',
    file_too_large: 'El archivo es demasiado grande para el editor de texto (8 MiB)',
    host_auth_failed: 'El host ha rechazado las credenciales',
    host_busy: 'Demasiadas conexiones simultáneas a este host',
    host_disconnected: 'Se ha perdido la conexión con el host',
    host_key_changed: 'La clave del host ha cambiado',
    host_key_revoked: 'La clave del host está revocada',
    revoked_host_key_not_found: 'La clave de host revocada no existe',
    host_unreachable: 'No se puede conectar con el host',
    idle_timeout: 'Se ha cerrado por inactividad',
    image_not_found: 'La imagen no existe',
    image_unreadable:
      'Este archivo no es una imagen compatible (PNG, JPEG, WebP o GIF), o es demasiado compleja',
    instance_unreachable: 'La instancia que ejecuta la terminal no responde',
    internal: 'Error interno de la pasarela',
    tree_too_large: 'El directorio tiene demasiados niveles o entradas para copiarlo',
    into_itself: 'Un directorio no se puede mover ni copiar dentro de sí mismo',
    invalid_2fa_code: 'El código no es correcto',
    invalid_api_key: 'La clave de API no es válida',
    invalid_credentials: 'El usuario o la contraseña no son correctos',
    invalid_mode: 'El modo debe tener tres o cuatro cifras octales',
    invalid_name: 'Un nombre de archivo no puede estar vacío, ser «.» o «..», ni contener «/» o NUL',
    invalid_path: 'La ruta debe ser absoluta',
    invalid_query: 'La cadena de consulta no es UTF-8 válido',
    invalid_token: 'La sesión ya no es válida',
    jump_cycle: 'Los hosts de salto forman un círculo',
    jump_host_offline: 'No se ha llegado al servidor: su host de salto está desconectado',
    jump_host_unchecked:
      'No se ha comprobado: no se puede pasar por su host de salto sin que intervenga una persona',
    jump_host_unknown: 'El host de salto no existe',
    jump_too_deep: 'La cadena tiene más de 8 hosts de salto',
    last_admin: 'Tiene que haber al menos un administrador activo',
    member_encrypted: 'Este elemento del archivo ZIP está cifrado',
    member_link: 'Los enlaces y archivos especiales de un ZIP no se extraen',
    member_method: 'Este elemento del archivo ZIP usa una compresión que no se admite',
    member_name: 'El nombre de este elemento no es seguro',
    member_not_found: 'El archivo ZIP no contiene ese elemento',
    member_outside: 'Un enlace del host sale del directorio de destino',
    member_twice: 'Otro elemento del archivo ZIP tiene ese nombre',
    name_too_long: 'El host no admite nombres tan largos',
    network: 'No se puede conectar con la pasarela',
    no_event_stream: 'No llegan los eventos de la pasarela',
    not_a_directory: 'No es un directorio',
    not_a_file: 'No es un archivo normal',
    not_authenticated: 'Inicie sesión para continuar',
    not_session_owner: 'Solo el propietario puede compartir esta sesión',
    not_text: 'El archivo no es texto UTF-8',
    operation_timeout: 'El host no ha respondido a tiempo',
    other_file: 'Este no es el archivo con el que empezó la subida',
    overloaded: 'Demasiados inicios de sesión simultáneos',
    password_change_required: 'Primero hay que cambiar la contraseña',
    own_account: 'Es su propia cuenta: hágalo desde la página de su cuenta',
    path_outside_allowed: 'La ruta está fuera de los directorios permitidos',
    allowed_directory:
      'Un directorio permitido, o uno que lo contiene, no se puede renombrar, reemplazar ni eliminar',
    pending_2fa: 'Falta el segundo paso del inicio de sesión',
    permission_denied: 'El servidor ha denegado el permiso',
    protected_account: 'El administrador predeterminado no se puede eliminar ni degradar',
    proxy_host: 'La pasarela recibe otro host que el de la página (página · pasarela)',
    proxy_untrusted: 'La pasarela recibe otro host que el de la página (página · pasarela)',
    proxy_upgrade: 'Otras peticiones llegan a la pasarela; las conexiones WebSocket no',
    quick_connect_disabled: 'La conexión rápida está desactivada',
    quick_host_key_not_found: 'No existe esa clave fijada',
    rate_limited: 'Demasiadas peticiones',
    recording_failed: 'No se puede escribir la grabación',
    recording_file_missing: 'Falta el archivo de esta grabación',
    recording_in_progress: 'Todavía se está grabando',
    recording_not_found: 'No se encuentra la grabación',
    remote_disk_full: 'El disco del host está lleno',
    remote_read_only: 'El sistema de archivos del host es de solo lectura',
    scope_missing: 'La clave de API no tiene el permiso necesario',
    server_not_found: 'No se encuentra el servidor',
    session_not_found: 'No se encuentra la sesión',
    session_required: 'Esto requiere una sesión, no una clave de API',
    sftp_disabled: 'SFTP está desactivado en este servidor',
    sftp_read_only: 'Este servidor es de solo lectura',
    sftp_unavailable: 'El host no ofrece SFTP',
    sftp_refused: 'El host ejecuta otro programa en lugar de SFTP',
    startup_output: 'Un archivo de inicio del host escribe texto, y SFTP no puede empezar',
    restricted_shell: 'La cuenta del host tiene un shell restringido que no puede iniciar SFTP',
    login_disabled: 'La cuenta del host no puede ejecutar nada',
    password_expired: 'La contraseña de la cuenta del host ha caducado',
    share_ended: 'El propietario ha dejado de compartir esta terminal',
    share_not_found: 'Este enlace compartido no es válido o ha terminado',
    shell_refused: 'El host se ha negado a abrir un shell',
    shutting_down: 'La pasarela se está apagando',
    gateway_restarting: 'La pasarela se está reiniciando; la terminal sigue en marcha',
    keeper_lost: 'Ha terminado el proceso que mantenía esta terminal',
    keeper_outdated:
      'El proceso que mantiene las terminales es de una versión anterior, que no convierte la codificación de este servidor',
    relay_stopped: 'La instancia que retransmite esta terminal se está apagando; la terminal sigue en marcha',
    snippet_not_found: 'No se encuentra el fragmento',
    ssh_disabled: 'SSH está desactivado en este servidor',
    ssh_protocol: 'El host no responde como un servidor SSH',
    step_up_required: 'Confirme su identidad para continuar',
    stale_etag: 'El archivo ha cambiado desde que se abrió',
    target_not_allowed: 'La conexión rápida no permite esta dirección',
    terminal_in_use: 'La terminal está abierta en otro dispositivo',
    terminal_taken_over: 'La terminal continúa en otro lugar',
    too_many_archives: 'Ya hay demasiados archivos ZIP en espera: aguarde un momento',
    too_many_extractions: 'Ya se están extrayendo demasiados archivos ZIP: espere a que terminen',
    too_many_dials: 'Un usuario puede tener 4 conexiones rápidas en curso e iniciar 30 por minuto',
    too_many_downloads: 'Demasiadas descargas simultáneas',
    too_many_embeds: 'Este usuario tiene demasiadas sesiones incrustadas',
    too_many_imports: 'El archivo tiene demasiados nombres para tantos servidores. Impórtelo por partes',
    too_many_key_jobs: 'Demasiadas claves privadas esperan a ser descifradas. Vuelva a intentarlo más tarde',
    too_many_keys: 'Un usuario no puede tener más de 100 claves de API',
    terminal_full: 'Una terminal no admite más de 50 personas',
    too_many_sessions: 'Este usuario tiene demasiadas terminales abiertas',
    too_many_searches: 'Ya hay otra búsqueda en curso; espere a que termine',
    too_many_texts: 'Se están convirtiendo en texto demasiadas grabaciones',
    too_many_snippets: 'Un usuario no puede tener más de 1000 fragmentos',
    too_many_streams: 'Este usuario tiene demasiadas ventanas abiertas',
    too_many_turns: 'El agente puede responder a 3 preguntas de un usuario a la vez',
    too_many_uploads: 'Este usuario tiene demasiadas subidas sin terminar',
    too_many_webhooks: 'No puede haber más de 100 webhooks',
    totp_already_enabled: 'El segundo factor ya está activado',
    totp_not_set_up: 'El segundo factor no está configurado',
    transfer_ended: 'La transferencia se ha interrumpido',
    unaddressable_name:
      'Este nombre no se puede usar: no es UTF-8, está vacío, tiene más de 4096 bytes o contiene una barra o NUL',
    user_not_found: 'No se encuentra el usuario',
    username_taken: 'Este nombre de usuario ya existe',
    webhook_not_found: 'No se encuentra el webhook',
    webhook_url_refused:
      'Esta dirección no está permitida: un webhook debe usar https y una dirección pública',
    worker_unreachable: 'El proceso que llega a los hosts no responde',
    wrong_password: 'La contraseña actual no es correcta',
  },
};

/** Complaints about one field by the gateway's own text, because `validation` has no code for each rule. */
const COMPLAINTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  es: {
    'Password must have at least 8 characters': 'La contraseña debe tener al menos 8 caracteres',
    'Password must have at most 256 characters': 'La contraseña debe tener como mucho 256 caracteres',
    'Password must not be the username': 'La contraseña no puede ser el nombre de usuario',
    'Password is too common': 'La contraseña es demasiado común',
    'Password must differ from the current one': 'La contraseña tiene que ser distinta de la actual',
    'Must contain printable characters only': 'Solo puede tener caracteres visibles',
    'Must not contain control characters': 'No puede tener caracteres de control',
    'Must not contain invisible characters': 'No puede tener caracteres invisibles',
    'Must not start or end with a space': 'No puede empezar ni terminar con un espacio',
    'Must be a color such as #1a2b3c': 'Tiene que ser un color como #1a2b3c',
    'Must be one line of printable characters': 'Tiene que ser una línea de caracteres visibles',
    'The passphrase is wrong': 'La frase de contraseña no es correcta',
    'This key needs its passphrase': 'Esta clave necesita su frase de contraseña',
    'The connection was refused': 'Se ha rechazado la conexión',
    'The connection was closed in mid-response': 'La conexión se ha cerrado a mitad de la respuesta',
    'The connection was closed without a response': 'La conexión se ha cerrado sin respuesta',
    'The host was not found': 'No se ha encontrado el host',
    'No response within 20 s': 'No ha habido respuesta en 20 s',
    'No answer within 20 s': 'No ha habido respuesta en 20 s',
    'No response within 120 s': 'No ha habido respuesta en 120 s',
    'No data for 60 s': 'No ha llegado nada en 60 s',
    'The model gave an empty answer': 'El modelo ha dado una respuesta vacía',
    'The answer of the provider ended before it was complete': 'La respuesta del proveedor está incompleta',
    'The provider sent no list of models': 'El proveedor no ha enviado ninguna lista de modelos',
    'The provider answers; choose a model': 'El proveedor responde; elija un modelo',
    'This provider needs an address': 'Este proveedor necesita una dirección',
    'The address must be an https URL': 'La dirección tiene que ser una URL https',
    'The address must be an https URL unless private addresses are allowed':
      'La dirección tiene que ser una URL https, salvo que se permitan direcciones privadas',
    'The address is not public; allow private addresses to use it':
      'La dirección no es pública; permita direcciones privadas para usarla',
    'The address must be an https URL unless private addresses are allowed in the settings, too':
      'La dirección tiene que ser una URL https, salvo que también los ajustes permitan direcciones privadas',
    'The address is not public; private addresses must be allowed in the settings, too':
      'La dirección no es pública; también los ajustes tienen que permitir direcciones privadas',
    'The address is not a URL': 'La dirección no es una URL',
    'The URL must not contain a username or a password':
      'La URL no puede contener un nombre de usuario ni una contraseña',
    'The URL has no valid host': 'La URL no tiene un host válido',
    'The URL must not contain a fragment (#…)': 'La URL no puede contener un fragmento (#…)',
    'A webhook needs an https URL': 'Un webhook necesita una URL https',
    'A webhook needs an https URL unless the settings allow private addresses':
      'Un webhook necesita una URL https, salvo que los ajustes permitan direcciones privadas',
    'The address is not public; the settings can allow private ones':
      'La dirección no es pública; los ajustes pueden permitir las privadas',
    'The address answers with a web page': 'La dirección responde con una página web',
    'Must not be an image of more than 2 MiB': 'No puede ser una imagen de más de 2 MiB',
  },
};

/** Fingerprints, absolute paths, and addresses with a port. */
const SPECIFIC = /SHA256:[A-Za-z0-9+/]{43}|(?<![\w.])\/[^\s,;)]+|\[[\da-f:]+\]:\d+|[\w.-]+:\d+/gi;

const HOSTS = /(?<=The page is at |asked for )[^\s,]+/g;

/** The server or the hosts that a text names. */
const NAMED: Readonly<Record<string, RegExp>> = {
  jump_host_offline: /(?<=its jump host ).+(?= is offline$)/,
  jump_host_unchecked: /(?<=its jump host ).+(?= lets nobody through)/,
  proxy_host: HOSTS,
  proxy_untrusted: HOSTS,
};

export function refusalText(language: string, code: string, detail: string): RefusalText {
  const texts = REFUSALS[language];
  const text = texts && Object.hasOwn(texts, code) ? texts[code] : undefined;
  if (text === undefined) return { text: complaintText(language, detail) };
  const specifics = [...new Set(detail.match(NAMED[code] ?? SPECIFIC))].join(' · ');
  return { text, specifics: specifics || undefined };
}

/** What is wrong with one field, in the gateway's own text if there is no translation. */
export function complaintText(language: string, message: string): string {
  const texts = COMPLAINTS[language];
  return texts && Object.hasOwn(texts, message) ? (texts[message] ?? message) : message;
}
