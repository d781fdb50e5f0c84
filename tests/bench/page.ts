import { table } from './measure.ts';
import { measurePage } from './measures/page/page.ts';

console.log(table(await measurePage()));
