//! Compiles a codec without its unsafe loops and special instructions, as `make test-safe` does.

fn main() {
    println!("cargo::rustc-cfg=pzcomp_safe");
    println!("cargo::rustc-check-cfg=cfg(pzcomp_safe)");
}
