import { env } from 'node:process';

/** Whether each gateway of the run is three instances behind nginx: `npm test -- --balanced`. */
export const IS_BALANCED = Boolean(env['SALLYPORT_BALANCED']);
