/** Texts of the replay page only, to keep it small. */
const EN = {
  after_pause: '{time}, after {pause}',
  cannot_load: 'Could not load the recording: the gateway did not respond. Reload the page to try again.',
  empty: 'This terminal had no output.',
  expired: 'This link has expired. Open the recording from the list again.',
  file_missing: 'The file of this recording no longer exists.',
  hours: '{count} h',
  interrupted: 'Interrupted: the gateway stopped before the terminal ended.',
  keys: 'Space plays and pauses, arrows seek by 5 s, 0 to 9 jump, [ and ] go to the next activity, ? shows all keys.',
  loading: 'Loading… {loaded}',
  minutes: '{count} min',
  no_cast: 'The gateway’s response is not a recording.',
  recording: 'Recording in progress. This is the output so far.',
  skip_pauses: 'Skip pauses',
  speed: 'Speed',
  title: '{server} – recording of {user}',
  when: 'Shown at',
};

export type Text = keyof typeof EN;

const ES: Record<Text, string> = {
  after_pause: '{time}, tras {pause}',
  cannot_load:
    'No se puede cargar la grabación: la pasarela no responde. Recargue esta página para volver a intentarlo.',
  empty: 'Esta terminal no mostró nada.',
  expired: 'Este enlace ha caducado. Abra la grabación de nuevo desde la lista.',
  file_missing: 'El archivo de esta grabación ya no existe.',
  hours: '{count} h',
  interrupted: 'Interrumpida: la pasarela se detuvo antes de que terminara la terminal.',
  keys: 'Espacio reproduce y pausa, las flechas saltan 5 s, 0 a 9 saltan, [ y ] van a la actividad siguiente, ? muestra todas las teclas.',
  loading: 'Cargando… {loaded}',
  minutes: '{count} min',
  no_cast: 'La respuesta de la pasarela no es una grabación.',
  recording: 'Grabación en curso. Esto es lo grabado hasta ahora.',
  skip_pauses: 'Saltar pausas',
  speed: 'Velocidad',
  title: '{server} – grabación de {user}',
  when: 'Mostrado a las',
};

export const TEXTS = { en: EN, es: ES };

/** The first preferred language that has texts. */
export function languageFor(wishes: readonly unknown[]): keyof typeof TEXTS {
  const codes = wishes.map((wish) => (typeof wish === 'string' ? wish.slice(0, 2).toLowerCase() : ''));
  return codes.find((code): code is keyof typeof TEXTS => Object.hasOwn(TEXTS, code)) ?? 'en';
}

export function createTexts(language: keyof typeof TEXTS) {
  return (key: Text, values: Readonly<Record<string, string | number>> = {}): string =>
    TEXTS[language][key].replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
