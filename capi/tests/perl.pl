#!/usr/bin/perl
# The library from Perl, without a C compiler: perl.pl LIBRARY
use strict;
use warnings;
use FFI::Platypus 1.00;
use FFI::Platypus::Buffer qw(scalar_to_buffer buffer_to_scalar);

my $ffi = FFI::Platypus->new(api => 1, lib => $ARGV[0]);
$ffi->attach([pz_error_message => 'message'], [] => 'string');
$ffi->attach([pz_options_new => 'options'], [] => 'opaque');
$ffi->attach([pz_options_text => 'text'], ['opaque', 'string', 'string'] => 'int');
$ffi->attach([pz_free => 'free_result'], ['opaque'] => 'void');
my @memory = ('opaque', 'opaque', 'size_t', 'opaque*', 'size_t*');
$ffi->attach([pz_compress => 'compress'], [@memory] => 'int');
$ffi->attach([pz_decompress => 'decompress'], [@memory] => 'int');

# The result of a call that takes memory and returns memory.
sub called {
    my ($call, $options, $bytes) = @_;
    my ($data, $length) = scalar_to_buffer($bytes);
    my ($result, $result_length);
    die message() . "\n" if $call->($options, $data, $length, \$result, \$result_length);
    my $copy = buffer_to_scalar($result, $result_length);
    free_result($result);
    return $copy;
}

my $options = options();
text($options, 'format', 'gzip') == 0 or die message();
my $plain = join '', map { "line $_\n" } 1 .. 100_000;
my $coded = called(\&compress, $options, $plain);
length($coded) < length($plain) / 3 or die 'the output is long';
called(\&decompress, undef, $coded) eq $plain or die 'the data differs';
eval { called(\&decompress, undef, substr $coded, 0, 1000) };
$@ =~ /unexpected end of gzip data/ or die "the error of cut data is: $@";
