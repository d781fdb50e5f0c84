/** Texts of the replay page only, to keep it small. */
const EN = {
  after_pause: '{time}, after {pause}',
  cannot_load: 'The recording cannot be loaded: the gateway does not answer. Reload this page to try again.',
  empty: 'Nothing was shown in this session.',
  expired: 'This link has expired. Open the recording from the list again.',
  file_missing: 'The file of this recording is not there any more.',
  hours: '{count} h',
  interrupted: 'Interrupted: the gateway stopped before the session ended.',
  keys: 'Space plays and pauses, arrows seek by 5 s, 0 to 9 jump, [ and ] go to the next activity, ? shows all keys.',
  loading: 'Loading… {loaded}',
  minutes: '{count} min',
  no_cast: 'The gateway answered with something that is no recording.',
  recording: 'Still being recorded: this is what there is so far.',
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
  empty: 'En esta sesión no se mostró nada.',
  expired: 'Este enlace ha caducado. Abra la grabación de nuevo desde la lista.',
  file_missing: 'El archivo de esta grabación ya no está.',
  hours: '{count} h',
  interrupted: 'Interrumpida: la pasarela se detuvo antes de que terminara la sesión.',
  keys: 'Espacio reproduce y pausa, las flechas saltan 5 s, 0 a 9 saltan, [ y ] van a la actividad siguiente, ? muestra todas las teclas.',
  loading: 'Cargando… {loaded}',
  minutes: '{count} min',
  no_cast: 'La pasarela respondió con algo que no es una grabación.',
  recording: 'Todavía se está grabando: esto es lo que hay hasta ahora.',
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
