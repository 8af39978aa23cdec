package wat

import (
	"context"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// What is assembled runs, and has the imports and exports that the text says.
func TestModulesRun(t *testing.T) {
	code, err := Assemble(`(module
	  (import "env" "twice" (func (param i32) (result i32))) ;; doubles
	  (memory (export "memory") 1)
	  (func (export "seven") (result i32)
	    i32.const 3 call 0 i32.const 1 i32.add)
	  (func (export "_start") call 1 drop))`)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	defer r.Close(ctx)
	twice := func(_ context.Context, n uint32) uint32 { return 2 * n }
	if _, err := r.NewHostModuleBuilder("env").NewFunctionBuilder().WithFunc(twice).Export("twice").Instantiate(ctx); err != nil {
		t.Fatal(err)
	}
	m, err := r.InstantiateWithConfig(ctx, code, wazero.NewModuleConfig())
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.ExportedFunction("seven").Call(ctx)
	if err != nil || api.DecodeI32(got[0]) != 7 {
		t.Error(got, err)
	}
	if m.ExportedMemory("memory") == nil {
		t.Error("the memory is not exported")
	}
}

func TestFaultsAreErrors(t *testing.T) {
	for _, text := range []string{
		"", "(module", "module", "(func)", `(module (import "a" "b"))`, `(module (import "a" "b" (func nop)))`, "(module (table 1))",
		"(module (func i32.const))", "(module (func i32.const 64))", "(module (func (param i31)))", "(module (func jump))", "(module (func (local i32)))",
		"(module (memory))", "(module (memory one))", "(module))", `(module "`,
	} {
		if _, err := Assemble(text); err == nil {
			t.Errorf("%s: no error", text)
		}
	}
}
