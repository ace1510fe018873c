-- Neovim as a user has it: opens a wrong manifest, reads diagnostics, takes a quick fix, hovers, completes.
-- Run by tests/editor/run, with the lines of docs/editors.md as its configuration and the program on PATH.
local example, lines = vim.env.TPU_ADMISSION_EXAMPLE, vim.env.TPU_ADMISSION_LINES
local failed = 0

local function check(what, good, found)
  print((good and 'PASS ' or 'FAIL ') .. 'neovim: ' .. what .. (good and '' or ': ' .. vim.inspect(found)))
  if not good then failed = failed + 1 end
end

local function errors()
  return vim.diagnostic.get(0, { severity = vim.diagnostic.severity.ERROR })
end

local function ask(method, params)
  local answers = vim.lsp.buf_request_sync(0, method, params, 5000) or {}
  for _, answer in pairs(answers) do return answer.result end
end

local function test()
  dofile(lines)
  vim.cmd('edit ' .. example)
  vim.wait(10000, function() return #errors() > 0 end)
  local id, client = next(vim.lsp.buf_get_clients(0))
  local found = errors()
  check('a wrong Job has errors', #found >= 2, found)
  local hosts
  for _, each in ipairs(found) do if each.code == 'TPU401' then hosts = each end end
  check('at the value', hosts and hosts.lnum == 7 and hosts.col == 15, found)

  local place = { line = hosts.lnum, character = hosts.col }
  local document = vim.lsp.util.make_text_document_params(0)
  local hover = ask('textDocument/hover', { textDocument = document, position = place })
  check('hover explains', hover and hover.contents.value:find('TPU401 hosts', 1, true), hover)

  vim.api.nvim_buf_set_lines(0, 0, 0, false, { '# ä😀' })  -- a change before all of it
  vim.wait(10000, function() return #errors() > 0 and errors()[1].lnum ~= found[1].lnum end)
  place.line = place.line + 1
  local actions = ask('textDocument/codeAction', { textDocument = document,
    range = { start = place, ['end'] = place }, context = { diagnostics = {} } })
  check('a quick fix is offered', actions and #actions >= 1, actions)
  vim.lsp.util.apply_workspace_edit(actions[1].edit, client.offset_encoding)
  vim.wait(10000, function() return #errors() == 0 end)
  check('which mends the file', #errors() == 0, errors())
  local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  check('and leaves comments', text:find('# ä😀', 1, true) and text:find('# of a headless Service', 1, true), text)
  check('the values are the right ones', text:find('parallelism: 4', 1, true) and text:find('google.com/tpu: 4', 1, true), text)

  vim.api.nvim_buf_set_lines(0, -1, -1, false, { '---', 'half: [typed # tpu' })
  vim.wait(10000, function() return #vim.diagnostic.get(0) > 0 end)
  check('a half-typed document is told', #vim.diagnostic.get(0) > 0 and #errors() == 0, vim.diagnostic.get(0))

  local line = vim.fn.search('gke-tpu-topology') - 1
  local items = ask('textDocument/completion', { textDocument = document,
    position = { line = line, character = #vim.fn.getline(line + 1) } })
  local places = {}
  for place, each in ipairs(items or {}) do places[each.label] = place end
  check('topologies are proposed', places['4x4'] and places['1x1'], items)
  check('first what the chips of this Job allow', (places['2x2'] or 99) < (places['1x1'] or 0), items)

  client.stop()
  local ended = vim.wait(5000, function() return vim.lsp.client_is_stopped(id) end)
  check('it ends', ended, ended)
end

local good, why = pcall(test)
if not good then check('the test ran', false, why) end
vim.cmd(failed == 0 and 'qall!' or 'cquit!')
