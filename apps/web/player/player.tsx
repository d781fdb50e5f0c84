import { render } from 'solid-js/web';
import { shownName } from '../lib/hidden-characters.ts';
import { createPlace } from '../lib/storage.ts';
import { type About, Replay } from './replay.tsx';
import { createTexts, languageFor } from './texts.ts';
import './player.css';

const ROOT = new URL('../../..', document.baseURI).href; // the gateway's root, relative to /api/recordings/{id}/play

function start(host: HTMLElement): void {
  const kept = keptPreferences();
  if (kept['theme'] === 'light' || kept['theme'] === 'dark')
    document.documentElement.dataset['theme'] = kept['theme'];
  const language = languageFor([kept['language'], ...navigator.languages]);
  document.documentElement.lang = language;
  const t = createTexts(language);
  const about = aboutOf(host.dataset);
  document.title = t('title', { server: shownName(about.server), user: shownName(about.username) });
  render(() => <Replay about={about} language={language} t={t} />, host);
}

/** Preferences stored by the web interface, which opens this page. */
function keptPreferences(): Readonly<Record<string, unknown>> {
  const value = createPlace('local', 'preferences', ROOT).read();
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function aboutOf(data: DOMStringMap): About {
  const { cast = '', server = '', username = '', started = '', status = '' } = data;
  return { cast, server, username, started, status };
}

const host = document.getElementById('recording');
if (host) start(host);
