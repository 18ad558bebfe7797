import { BrumeError, type ErrorCode } from '../../errors/catalogue.ts';
import { type SchemaFaultPart, schemaSentence } from './schema-sentence.ts';

/** What fastify itself throws at a request, in our own words. */
const FASTIFY_FAULTS: Readonly<Record<string, () => BrumeError>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: known('unsupported_media_type', 'Content-Type'),
  FST_ERR_CTP_EMPTY_TYPE: known('unsupported_media_type', 'Content-Type'),
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: known('unsupported_media_type', 'Content-Type'),
  FST_ERR_CTP_BODY_TOO_LARGE: known('payload_too_large', 'body'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: known('bad_request', 'Content-Length', 'The body has another length.'),
  FST_ERR_CTP_EMPTY_JSON_BODY: known('bad_request', 'body', 'The body must be a JSON object.'),
  FST_ERR_CTP_INVALID_JSON_BODY: known('bad_request', 'body', 'The body is not valid JSON.'),
  FST_ERR_BAD_URL: known('bad_request', 'path', 'The path is not a valid URL path.'),
  FST_ERR_MAX_PARAM_LENGTH: known('unknown_route'),
  FST_ERR_NOT_FOUND: known('unknown_route'),
};

/** Any fault as one out of the catalogue. What nobody foresaw is `internal`, with its cause. */
export function catalogued(fault: unknown): BrumeError {
  if (fault instanceof BrumeError) return fault;
  if (!(fault instanceof Error)) return new BrumeError('internal', { cause: fault });
  if (isSchemaFault(fault)) return schemaError(fault);
  const code = 'code' in fault && typeof fault.code === 'string' ? fault.code : '';
  const foreseen = FASTIFY_FAULTS[code];
  if (foreseen !== undefined) return foreseen();
  // The caller hung up while its body was being read; nobody will see this answer.
  if (code === 'ECONNRESET')
    return new BrumeError('bad_request', { field: 'body', detail: 'The body ended early.' });
  return new BrumeError('internal', { cause: fault });
}

function known(code: ErrorCode, field?: string, detail?: string): () => BrumeError {
  return () =>
    new BrumeError(code, { ...(field !== undefined && { field }), ...(detail !== undefined && { detail }) });
}

interface SchemaFault {
  readonly validation: readonly (SchemaFaultPart & {
    readonly instancePath: string;
    readonly params: Record<string, unknown>;
  })[];
  readonly validationContext: string;
}

function isSchemaFault(error: Error): error is Error & SchemaFault {
  return 'validation' in error && Array.isArray(error.validation) && 'validationContext' in error;
}

function schemaError({ validation: [first], validationContext }: SchemaFault): BrumeError {
  const path = memberName(first?.instancePath ?? '');
  const { missingProperty, additionalProperty } = first?.params ?? {};
  if (typeof missingProperty === 'string') return badMember(member(path, missingProperty), 'is required');
  if (typeof additionalProperty === 'string') {
    return badMember(member(path, additionalProperty), 'is not a member of this call');
  }
  const root = validationContext === 'body' ? 'body' : validationContext;
  return badMember(path === '' ? root : path, schemaSentence(first ?? {}));
}

function badMember(field: string, fault: string): BrumeError {
  // A member's name is the caller's text: no longer than a name can be.
  const name = field.slice(0, 128).toWellFormed();
  return new BrumeError('bad_request', { field: name, detail: `${name} ${fault}.` });
}

/** `/checks/7/namespace` → `checks[7].namespace`. */
function memberName(instancePath: string): string {
  return instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : member(path, part)), '');
}

function member(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
