import { setFlagsFromString } from 'node:v8';

const GROWTH_PERCENT = 100;

/**
 * The heap is collected once it has doubled. By itself, V8 lets the heap of a gateway that was idle grow by about a tenth. A
 * download then collects all of it every 30 MB, for the buffers that the socket is read into, which takes more CPU time than
 * the rest of the download.
 */
export function letHeapGrow(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}
