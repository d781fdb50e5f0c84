import type { PreferenceValues } from '../app/preferences.ts';

const LENGTH_S = 0.12;
const LOUDNESS = 0.08;
const PITCH_HZ = 660;
const APART_MS = 200; // binary output is full of bells

/** Limits how often the bell rings. */
export function createBell(rings: { visual: () => void; kind: () => PreferenceValues['bell'] }): () => void {
  let last = 0;
  return () => {
    const now = performance.now();
    if (now - last < APART_MS) return;
    last = now;
    const kind = rings.kind();
    if (kind === 'visual' || kind === 'both') rings.visual();
    if (kind === 'sound' || kind === 'both') beep();
  };
}

function beep(): void {
  const audio = new AudioContext();
  const tone = new OscillatorNode(audio, { frequency: PITCH_HZ });
  const volume = new GainNode(audio, { gain: LOUDNESS });
  volume.gain.linearRampToValueAtTime(0, audio.currentTime + LENGTH_S);
  tone.connect(volume).connect(audio.destination);
  tone.onended = () => void audio.close();
  tone.start();
  tone.stop(audio.currentTime + LENGTH_S);
}
