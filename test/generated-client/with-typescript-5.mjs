/** For a generator that needs the programming interface of TypeScript, which the compiler of this project lacks. */
import { register } from 'node:module';

const entry = import.meta.resolve('typescript');
const hook = `export const resolve = (name, context, next) => next(name === 'typescript' ? '${entry}' : name, context);`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);
