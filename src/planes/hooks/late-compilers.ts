import AjvCompiler from '@fastify/ajv-compiler';
import SerializerSelector from '@fastify/fast-json-stringify-compiler';
import type { FastifyServerOptions } from 'fastify';

type Compilers = NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>;
type BuildValidator = NonNullable<Compilers['buildValidator']>;
type CompileValidator = (route: Parameters<ReturnType<BuildValidator>>[0]) => Validator;

/**
 * Fastify's own compilers of schemas, which begin when the first request needs them: to compile all of the
 * management plane's takes a third of the start, and most of them are not asked for before the next one.
 * A schema that can't be compiled fails the first request of its route.
 */
export function lateCompilers(): Compilers {
  const buildValidator = AjvCompiler();
  const buildSerializer = SerializerSelector();
  return {
    buildValidator: (schemas, options) => {
      const compilerOnce = once(() => buildValidator(schemas, options));
      const compile: CompileValidator = (route) => lateValidator(() => compilerOnce()(route) as Validator);
      return compile as ReturnType<BuildValidator>;
    },
    buildSerializer: (schemas, options) => {
      const compilerOnce = once(() => buildSerializer(schemas, options));
      return (route) => {
        const serializerOnce = once(() => compilerOnce()(route));
        return (data: unknown) => serializerOnce()(data);
      };
    },
  };
}

interface Validator {
  (data: unknown): unknown;
  /** What the last call found, as ajv has it; fastify reads it there. */
  errors?: unknown;
}

function lateValidator(compile: () => Validator): Validator {
  const validatorOnce = once(compile);
  const late: Validator = (data) => {
    const validate = validatorOnce();
    const isValid = validate(data);
    late.errors = validate.errors;
    return isValid;
  };
  return late;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
